# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Advice on the size of heaps."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..page.words import percent, seconds
from .advice import LEAST_GAIN, Advice

if TYPE_CHECKING:
    from ..report import Report

LARGE_HEAP = 2 << 30
BIG_HEAP = 0.5
TIGHT_HEAP = 0.85


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


def bytes_of(setting: str) -> int:
    """Of a size as Spark writes it, MiB where it has no unit; 0 where it is none.

    Examples
    --------
    >>> bytes_of("2g"), bytes_of("512MB"), bytes_of("a lot")
    (2147483648, 536870912, 0)
    """
    found = re.fullmatch(r"\s*([0-9]{1,12})\s*([kmgtp]?)b?\s*", setting.lower())
    return int(found[1]) << 10 * ("kmgtp".find(found[2] or "m") + 1) if found else 0


RULES = (heap_too_big, heap_tight)
