# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Advice on garbage collection and on data that does not fit."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..page.words import percent, seconds
from .advice import LEAST_GAIN, Advice

if TYPE_CHECKING:
    from ..application import Application
    from ..report import Report

SPILL_BYTES_PER_S = 20e6  # in the file, for one task: slower than Spark's sort, packing and a disk are together
LARGE_HEAP = 2 << 30
BIG_HEAP = 0.5
TIGHT_HEAP = 0.85
GC_SHARE = 0.10  # of the time that tasks run; Dr. Elephant warns from 8 to 20 %
# How options begin that Spark gives each JVM of itself, by all its versions; the setting has them in every log.
_OF_SPARK = (
    "--add-modules=jdk.incubator.",
    "--add-opens=java.",
    "--enable-native-access=",
    "--sun-misc-unsafe-memory-access=",
    "-Dio.netty.",
    "-Djava.net.preferIPv6Addresses=",
    "-Djdk.reflect.useDirectMethodHandle=",
    "-XX:+IgnoreUnrecognizedVMOptions",
)


def gc(report: Report) -> Advice | None:
    """Collections take much of the tasks' time."""
    app, stages = report.application, report.stages.to_pylist()
    collected, run = float(app.tasks["gc"].sum()), float(app.tasks["run"].sum())
    pauses = 0.0 if app.gc_is_concurrent or not run else collected / run
    used = sum(float(each.seconds[:, -1].sum()) for each in app.processors)
    beside = sum(each.total("gc") for each in app.processors)
    gain = sum(max(0.0, row["without_gc_s"] or 0.0) for row in stages) if pauses else 0.0
    if pauses >= GC_SHARE:
        evidence = f"{seconds(collected / 1e3)} of {seconds(run / 1e3)} in which tasks ran ({percent(pauses)})"
        unsure = "bounded: Spark counts a pause in each task that it stops"
    elif used and beside / used >= GC_SHARE and report.share("run_queue") > 0:
        evidence = (
            f"threads of {app.processors[0].collector} took {seconds(beside)} of the {seconds(used)} that the JVMs ran"
        )
        unsure = "bounded: what the threads that collect took, as if tasks had waited for all of it"
        gain += beside / max(1, sum(row["slots"] for row in report.executors.to_pylist()))
    else:
        return None
    side = _side(app)
    options = app.settings.get(f"spark.{side}.extraJavaOptions", "").split()
    # The user's own are not copied from a log into settings: options can name programs to run.
    is_plain = all(option.startswith(_OF_SPARK) for option in options)
    settings = {f"spark.{side}.extraJavaOptions": "-XX:+UseParallelGC"} if is_plain else {}
    return Advice(
        "gc",
        "Garbage collection is high",
        evidence,
        min(gain, report.wall_s),
        unsure,
        f"Give spark.{side}.memory more, keep cached tables in sparkgap's store, or try the parallel collector.",
        settings,
        tuple(row["stage"] for row in stages if (row["without_gc_s"] or 0) > 0.1 * row["wall_s"] > 0),
    )


def spill(report: Report) -> Advice | None:
    """Data went to disk because it did not fit into the memory of a task."""
    rows = [row for row in report.stages.to_pylist() if row["disk_spilled"] > 0]
    if not rows:
        return None
    spilled = sum(row["disk_spilled"] for row in rows)
    tasks = max(row["tasks"] for row in rows)
    gain = sum(min(row["wall_s"], row["disk_spilled"] / SPILL_BYTES_PER_S / (row["slots"] or 1)) for row in rows)
    if gain < LEAST_GAIN * report.wall_s:
        return None
    return Advice(
        "spill",
        "Data does not fit into the memory of tasks",
        f"{spilled / 1e6:,.0f} MB were spilled to disk by {len(rows)} stages",
        min(gain, report.wall_s),
        f"inferred: sorted, written and read again at no less than {SPILL_BYTES_PER_S / 1e6:.0f} MB/s in each task",
        "More and so smaller partitions, or more memory.",
        {"spark.sql.shuffle.partitions": str(2 * max(tasks, 1))},
        tuple(row["stage"] for row in rows),
    )


def heap_too_big(report: Report) -> Advice | None:
    """Executors have far more heap than they ever used, garbage included."""
    app = report.application
    key = f"spark.{_side(app)}.memory"
    most, peak = _bytes(app.settings.get(key, "1g")), max([app.heap_peak, *(heap.used for heap in app.heaps)])
    if peak <= 0 or most < LARGE_HEAP or peak > BIG_HEAP * most:
        return None
    return Advice(
        "heap_too_big",
        "Heaps are larger than what was used",
        f"at most {peak / 2**20:,.0f} MiB of {most / 2**20:,.0f} MiB, garbage included",
        None,
        "bounded: Spark looks every ten seconds" if not app.heaps else "measured at each collection",
        "Smaller heaps cost less, and leave room for the store and native ranks.",
        {key: f"{max(1024, -int(-1.2 * peak // 2**20))}m"},
    )


def heap_tight(report: Report) -> Advice | None:
    """What collections leave nearly fills a heap, so that they come again and again (profiles with stacks)."""
    app = report.application
    last: dict[str, int] = {}
    fullest, where = 0.0, None
    for heap in sorted(app.heaps, key=lambda each: each.at):
        # Each collection tells of the heap before and after it.
        if heap.used < last.get(heap.executor, 0) and heap.most > 0 and heap.used / heap.most > fullest:
            fullest, where = heap.used / heap.most, heap
        last[heap.executor] = heap.used
    paused = sum(each.pause for each in app.collections) / 1e3
    if where is None or fullest < TIGHT_HEAP or paused < LEAST_GAIN * report.wall_s:
        return None
    return Advice(
        "heap_tight",
        "A heap is nearly full of what lives",
        f"after a collection {where.executor} still had {percent(fullest)} of its heap in use; pauses took"
        f" {seconds(paused)}",
        min(paused, report.wall_s),
        "measured; a larger heap has pauses too",
        "Give more memory, cache less, or keep cached tables in sparkgap's store, outside the heap.",
        {f"spark.{_side(app)}.memory": f"{int(1.5 * where.most / 2**20)}m"},
    )


def _side(app: Application) -> str:
    return "driver" if app.settings.get("spark.master", "").startswith("local[") else "executor"


def _bytes(setting: str) -> int:
    """Of a size as Spark writes it, MiB where it has no unit; 0 where it is none.

    Examples
    --------
    >>> _bytes("2g"), _bytes("512MB"), _bytes("a lot")
    (2147483648, 536870912, 0)
    """
    found = re.fullmatch(r"\s*([0-9]{1,12})\s*([kmgtp]?)b?\s*", setting.lower())
    return int(found[1]) << 10 * ("kmgtp".find(found[2] or "m") + 1) if found else 0


RULES = (gc, spill, heap_too_big, heap_tight)
