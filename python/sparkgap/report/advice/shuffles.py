# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Advice on how rows are packed for other tasks, and on the folder that they are written to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..page.words import percent, seconds
from .advice import LEAST_GAIN, Advice

if TYPE_CHECKING:
    from ..report import Report

SERIALIZER_SHARE = 0.10  # of the samples of tasks
SLOW_BYTES_PER_S = 50e6  # of one task that writes: less than one old disk gives
FAST_BYTES_PER_S = 200e6
_OF_JAVA = ("java.io.ObjectOutputStream.", "java.io.ObjectInputStream.")
_BODY = "org.apache.spark.scheduler.Task.run"


def serializer(report: Report) -> Advice | None:
    """Tasks pack rows with Java's own serializer (profiles with stacks)."""
    app = report.application
    if app.stacks is None or "Kryo" in app.settings.get("spark.serializer", ""):
        return None
    body = {place for place, name in enumerate(app.stacks.frames) if name == _BODY}
    java = {place for place, name in enumerate(app.stacks.frames) if name.startswith(_OF_JAVA)}
    in_task = np.array([not body.isdisjoint(stack) for stack in app.stacks.stacks], bool)
    in_java = np.array([not java.isdisjoint(stack) for stack in app.stacks.stacks], bool)
    rows = app.stacks.task & in_task[app.stacks.stack]
    own = rows & in_java[app.stacks.stack]
    whole, packed = int(app.stacks.n[rows].sum()), int(app.stacks.n[own].sum())
    if not whole or packed < SERIALIZER_SHARE * whole:
        return None
    share = packed / whole
    return Advice(
        "serializer",
        "Tasks pack rows by Java serialization",
        f"{packed:,} of {whole:,} samples of tasks ({percent(share)}) are in it",
        min(share * (report.share("cpu") + report.share("serialize")), 1.0) * report.wall_s,
        "measured by samples; Kryo takes time too",
        "Take Kryo, or rows of DataFrames in place of objects.",
        {"spark.serializer": "org.apache.spark.serializer.KryoSerializer"},
        tuple(sorted({app.stages[place].id for place in app.stacks.stage[own].tolist() if place >= 0})),
    )


def scratch(report: Report) -> Advice | None:
    """Shuffles are written slowly: the folder for scratch files is on a slow disk, or shared with others."""
    tasks = report.application.tasks
    keys, of_key = np.unique(tasks.stage_key, return_inverse=True)
    took_by_key = dict(zip(keys.tolist(), np.bincount(of_key, tasks["shuffle_write_ns"]) / 1e9, strict=True))
    rows, took, gain = [], 0.0, 0.0
    for stage, row in zip(report.application.stages, report.stages.to_pylist(), strict=True):
        in_tasks = float(took_by_key.get(stage.key, 0.0))
        rate = row["shuffle_write_bytes"] / in_tasks if in_tasks else 0.0
        if 0 < rate < SLOW_BYTES_PER_S:
            rows.append(row)
            took += in_tasks
            gain += max(0.0, row["without_shuffle_write_s"] or 0.0) * (1 - rate / FAST_BYTES_PER_S)
    if gain < LEAST_GAIN * report.wall_s:
        return None
    written = sum(row["shuffle_write_bytes"] for row in rows)
    return Advice(
        "scratch",
        "Shuffles are written slowly",
        f"{written / 1e6:,.0f} MB of {len(rows)} stages took {seconds(took)} of tasks",
        min(gain, report.wall_s),
        f"inferred: as if a task could write {FAST_BYTES_PER_S / 1e6:.0f} MB/s",
        "Set spark.local.dir to a folder on a faster disk, or on several; on YARN the NodeManager's local folders.",
        {},
        tuple(row["stage"] for row in rows),
    )


RULES = (serializer, scratch)
