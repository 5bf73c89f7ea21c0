# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Advice on what SQL plans shuffle and read."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..page.words import seconds
from .advice import LEAST_GAIN, Advice

if TYPE_CHECKING:
    from ..report import Report

MOST_SENT = 200e6  # bytes of a side that each executor gets a copy of; DataFlint warns of joins from 100 MB on
TIMES_LARGER = 5
SMALL_FILE, MANY_FILES = 3e6, 100  # DataFlint's
MOST_BROADCAST = 1e9  # DataFlint's
OPEN_S = 0.1  # to find, open and close a file, of an object store too
_MB = 1e6
_THRESHOLD = "spark.sql.autoBroadcastJoinThreshold"


def join(report: Report) -> Advice | None:
    """A large side is shuffled and sorted to meet a small one, which could come to it."""
    joins = [
        each
        for each in report.application.joins
        if each.smaller <= MOST_SENT and each.larger >= TIMES_LARGER * each.smaller
    ]
    if not joins:
        return None
    gain, stages = _wall(report, {stage for each in joins for stage in each.stages})
    if gain < LEAST_GAIN * report.wall_s:
        return None
    worst = max(joins, key=lambda each: each.larger)
    enough = max(each.smaller for each in joins) * 1.25 / (1 << 20)
    return Advice(
        "broadcast_join",
        "A join shuffles a large side to meet a small one",
        f"SQL execution {worst.execution} moves {worst.larger / _MB:,.1f} MB to join them with "
        f"{worst.smaller / _MB:,.1f} MB",
        min(gain, report.wall_s),
        "bounded: the stages that write and read the large side, which do other work too",
        "Send the small side to all executors (a broadcast): each must have the memory for it.",
        {_THRESHOLD: f"{1 << max(0, math.ceil(math.log2(enough)))}m"},
        stages,
    )


def small_files(report: Report) -> Advice | None:
    """Many small files are read."""
    scans = [
        each for each in report.application.scans if each.files > MANY_FILES and each.bytes < SMALL_FILE * each.files
    ]
    if not scans:
        return None
    wall, stages = _wall(report, {stage for each in scans for stage in each.stages})
    slots = max((row["slots"] or 1 for row in report.stages.to_pylist() if row["stage"] in stages), default=1)
    gain = min(wall, OPEN_S * sum(each.files for each in scans) / slots)
    if gain < LEAST_GAIN * report.wall_s:
        return None
    worst = max(scans, key=lambda each: each.files)
    return Advice(
        "small_files",
        "Many small files are read",
        f"SQL execution {worst.execution} reads {worst.files:,} files, of {worst.bytes / worst.files / 1e3:,.1f} kB on "
        "the average",
        gain,
        f"bounded: {seconds(OPEN_S)} to open each of them in a slot, or the stages that do",
        "Write fewer and larger files once (repartition or coalesce before the write), then read those.",
        {},
        stages,
    )


def broadcast(report: Report) -> Advice | None:
    """More is sent to all executors than each should have to hold."""
    large = [each for each in report.application.broadcasts if each.bytes > MOST_BROADCAST]
    if not large:
        return None
    worst = max(large, key=lambda each: each.bytes)
    took = sum(each.took for each in large)
    threshold = report.application.settings.get(_THRESHOLD)
    return Advice(
        "large_broadcast",
        "A large table is sent to all executors",
        f"SQL execution {worst.execution} sends {worst.bytes / _MB:,.0f} MB to each of them; {seconds(took)} went "
        "into it",
        None,
        "measured; it is each executor's memory that is saved, for the join that takes its place shuffles both sides"
        " and may take longer",
        "Join by a shuffle: lower the threshold, take a hint away, or let Spark know the sizes (ANALYZE TABLE).",
        {_THRESHOLD: "10m" if threshold else "-1"},
    )


def _wall(report: Report, stages: Iterable[int]) -> tuple[float, tuple[int, ...]]:
    """Seconds of these stages, and those that there are."""
    rows = [row for row in report.stages.to_pylist() if row["stage"] in stages]
    return sum(row["wall_s"] for row in rows), tuple(sorted({row["stage"] for row in rows}))


RULES = (join, small_files, broadcast)
