# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Advice on garbage collection and on data that does not fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..page.words import percent, seconds
from .advice import LEAST_GAIN, Advice
from .executors import bytes_of, heap_tight

if TYPE_CHECKING:
    from ..application import Application
    from ..report import Report

SPILL_BYTES_PER_S = 20e6  # in the file, for one task: slower than Spark's sort, packing and a disk are together
SPILLS_AT = 0.5  # of the memory that a task may have: an array of pointers grows by a copy of twice its length
MOST_PARTITIONS = 10_000
MANY_CORES = 12  # Awan et al. 2015: one executor gains nothing from more
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
    pauses = paused(app)
    used = sum(float(each.seconds[:, -1].sum()) for each in app.processors)
    beside = sum(each.total("gc") for each in app.processors)
    gain = observed(report) if pauses else 0.0
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
    side = app.side
    options = app.settings.get(f"spark.{side}.extraJavaOptions", "").split()
    # The user's own are not copied from a log into settings: options can name programs to run.
    is_plain = all(option.startswith(_OF_SPARK) for option in options)
    # In a heap that is nearly full the parallel collector stops the threads for all of it, again and again.
    may_try = is_plain and heap_tight(report) is None
    settings = {f"spark.{side}.extraJavaOptions": "-XX:+UseParallelGC"} if may_try else {}
    return Advice(
        "gc",
        "Garbage collection is high",
        evidence,
        min(gain, report.wall_s),
        unsure,
        f"Give spark.{side}.memory more, or keep cached tables in sparkgap's store."
        + (" Or try the parallel collector." if may_try else ""),
        settings,
        tuple(row["stage"] for row in stages if (row["without_gc_s"] or 0) > 0.1 * row["wall_s"] > 0),
    )


def spill(report: Report) -> Advice | None:
    """Data went to disk because it did not fit into the memory of a task."""
    rows = [row for row in report.stages.to_pylist() if row["disk_spilled"] > 0]
    if not rows:
        return None
    spilled = sum(row["disk_spilled"] for row in rows)
    partitions = max(row["tasks"] * _parts(report.application, row["stage"]) for row in rows)
    gain = sum(min(row["wall_s"], row["disk_spilled"] / SPILL_BYTES_PER_S / (row["slots"] or 1)) for row in rows)
    if gain < LEAST_GAIN * report.wall_s:
        return None
    return Advice(
        "spill",
        "Data does not fit into the memory of tasks",
        f"{spilled / 1e6:,.0f} MB were spilled to disk by {len(rows)} stages",
        min(gain, report.wall_s),
        f"inferred: sorted, written and read again at no less than {SPILL_BYTES_PER_S / 1e6:.0f} MB/s in each task",
        "So many partitions that what a task holds fits into the memory that it had, or more memory.",
        {"spark.sql.shuffle.partitions": str(min(MOST_PARTITIONS, max(2, partitions)))},
        tuple(row["stage"] for row in rows),
    )


def _parts(app: Application, stage: int) -> int:
    """Into how many parts the largest task of a stage must be cut to hold all it holds at a time."""
    own = app.tasks["stage"] == stage
    spilled, peak = app.tasks["memory_spilled"][own], app.tasks["peak_memory"][own]
    parts = [-(-int(more) // int(SPILLS_AT * most)) for more, most in zip(spilled, peak, strict=True) if most > 1]
    return 1 + max(1, max(parts, default=1))


def paused(app: Application) -> float:
    """The share of the time in which tasks ran that collections stopped them."""
    run = float(app.tasks["run"].sum())
    return 0.0 if app.gc_is_concurrent or not run else float(app.tasks["gc"].sum()) / run


def observed(report: Report) -> float:
    """Seconds that the stages would gain without collections."""
    return sum(max(0.0, row["without_gc_s"] or 0.0) for row in report.stages.to_pylist())


def small_executors(report: Report) -> Advice | None:
    """Executors with many cores collect much: all cores fill one heap, and wait for it together."""
    app = report.application
    cores = max((executor.cores or 0 for executor in app.executors), default=0)
    if app.side == "driver" or cores <= MANY_CORES or paused(app) < GC_SHARE:
        return None
    parts = -(-cores // MANY_CORES)
    settings = {"spark.executor.cores": str(-(-cores // parts))}
    if memory := bytes_of(app.settings.get("spark.executor.memory", "")):
        settings["spark.executor.memory"] = f"{max(1, memory // parts >> 20)}m"
    if (count := app.settings.get("spark.executor.instances", "")).isdecimal():
        settings["spark.executor.instances"] = str(parts * int(count))
    return Advice(
        "executor_cores",
        "Executors have many cores, and collect much",
        f"{cores} cores fill one heap; collections took {percent(paused(app))} of the time in which tasks ran",
        min(observed(report), report.wall_s),
        f"inferred: a study of other jobs saw no gain from more than {MANY_CORES} cores; try it by a run",
        f"{parts} executors in place of one, each with its part of the cores and of the memory.",
        settings,
    )


RULES = (gc, spill, small_executors)
