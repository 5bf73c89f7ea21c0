# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Advice on how many executors there are, and on the size of heaps."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..page.words import percent, seconds
from . import driver, tasks
from .advice import LEAST_GAIN, Advice

if TYPE_CHECKING:
    from ..report import Report

LARGE_HEAP = 2 << 30
BIG_HEAP = 0.5
TIGHT_HEAP = 0.85
SLOWER_BY_HALF = 0.1
# What puts the others to use, or is about the same ones.
_USES = (tasks.skew, tasks.too_few, driver.driver, driver.no_executors, driver.idle)
_COUNT, _CORES = "spark.executor.instances", "spark.cores.max"


def heap_too_big(report: Report) -> Advice | None:
    """Executors have far more heap than they ever used, garbage included."""
    app = report.application
    key = f"spark.{app.side}.memory"
    most, peak = bytes_of(app.settings.get(key, "1g")), max([app.heap_peak, *(heap.used for heap in app.heaps)])
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
        {f"spark.{app.side}.memory": f"{int(1.5 * where.most / 2**20)}m"},
    )


def executor_count(report: Report) -> Advice | None:
    """Half of the executors would do nearly the same in nearly the same time, by a replay of all stages."""
    app, there = report.application, report.executors.to_pylist()
    if len(there) < 2 or max(row["begin_s"] for row in there) >= min(row["end_s"] for row in there):
        return None  # they did not live at the same time
    if driver.is_dynamic(report) or any(rule(report) for rule in _USES):
        return None
    guess = report.what_if
    longer = guess.by_slots[0.5] - guess.by_slots[1.0]
    if longer > SLOWER_BY_HALF * guess.by_slots[1.0]:
        return None
    half = -(-len(there) // 2)
    is_standalone = _CORES in app.settings or app.settings.get("spark.master", "").startswith("spark://")
    cores = sum(row["slots"] for row in there) * half // len(there)
    return Advice(
        "executor_count",
        "Half of the executors would do",
        f"with {half} of {len(there)} executors a replay takes {seconds(max(0.0, longer) / 1e3)} more of "
        f"{seconds(report.wall_s)}",
        None,
        f"inferred: replays of this work are off by {percent(guess.error)}; each would need more memory",
        "Fewer executors cost less.",
        {_CORES: str(cores)} if is_standalone else {_COUNT: str(half)},
    )


def bytes_of(setting: str) -> int:
    """Of a size as Spark writes it, MiB where it has no unit; 0 where it is none.

    Examples
    --------
    >>> bytes_of("2g"), bytes_of("512MB"), bytes_of("a lot")
    (2147483648, 536870912, 0)
    """
    found = re.fullmatch(r"\s*([0-9]{1,12})\s*([kmgtp]?)b?\s*", setting.lower())
    return int(found[1]) << 10 * ("kmgtp".find(found[2] or "m") + 1) if found else 0


RULES = (executor_count, heap_too_big, heap_tight)
