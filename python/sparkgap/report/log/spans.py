# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""When each thing began and ended, also where the log does not say it."""

from __future__ import annotations

import numpy as np

from ..application import Application, Batch, Call, Tasks

_MOST = 2**62


def set_begins_and_ends(app: Application) -> None:
    """Of all that is in an application, within its own time."""
    tasks = app.tasks
    first, last = _bounds(tasks)
    for stage in app.stages:
        begin, end = first.get(stage.key), last.get(stage.key)
        known = stage.submitted if stage.submitted is not None else begin
        stage.begin = _within(app, known if known is not None else app.end)
        # Without a completion, it is open to its last task; where it has none, to the end.
        known = stage.completed if stage.completed is not None else end if end is not None else app.end
        stage.end = max(stage.begin, _within(app, known))
    for job in app.jobs:
        numbers = set(job.stages)
        own = [stage for stage in app.stages if stage.id in numbers]
        known = job.submitted if job.submitted is not None else min((s.begin for s in own), default=app.begin)
        job.begin = _within(app, known)
        job.end = max(job.begin, _within(app, job.completed if job.completed is not None else app.end))
    spans: list[Call | Batch] = [*app.calls, *app.batches]
    for each in spans:
        each.begin = _within(app, each.begin)
        each.end = max(each.begin, _within(app, each.end))
    for operation in app.operations:
        ends = (operation.closed, operation.finished)
        end = next((time for time in ends if time is not None), app.end)
        operation.begin = _within(app, operation.started if operation.started is not None else end)
        operation.end = max(operation.begin, _within(app, end))
    for fault in app.faults:
        fault.time = _within(app, fault.time)
    for execution in app.executions:
        own_jobs = [job for job in app.jobs if job.execution == execution.id]
        known = execution.started
        known = known if known is not None else min((job.begin for job in own_jobs), default=app.begin)
        execution.begin = _within(app, known)
        execution.end = max(execution.begin, _within(app, execution.ended if execution.ended is not None else app.end))


def _within(app: Application, time: int) -> int:
    return min(max(time, app.begin), app.end)


def _bounds(tasks: Tasks) -> tuple[dict[int, int], dict[int, int]]:
    """First launch and last end of each stage's tasks."""
    keys, place = np.unique(tasks.stage_key, return_inverse=True)
    first, last = np.full(len(keys), _MOST), np.zeros(len(keys), np.int64)
    np.minimum.at(first, place, tasks["launched"])
    np.maximum.at(last, place, tasks["finished"])
    return dict(zip(keys.tolist(), first.tolist(), strict=True)), dict(zip(keys.tolist(), last.tolist(), strict=True))
