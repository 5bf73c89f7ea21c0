# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""An application as a trace that Perfetto (ui.perfetto.dev) and Chrome's about:tracing show: a thread for each slot,
and one each for SQL executions, jobs and stages.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from .application import Application, TaskState
from .page import waterfall
from .page.words import clean
from .shares.parts import TASK_PARTS

_DRIVER = 0


def lines(app: Application, times: Any) -> Iterator[str]:
    """The trace in its JSON form, a line for each event. `times` are the parts of the tasks."""
    yield '{"displayTimeUnit": "ms", "traceEvents": ['
    events = _events(app, times)
    yield json.dumps(next(events))
    for event in events:
        yield "," + json.dumps(event)
    yield "]}"


def _events(app: Application, times: Any) -> Iterator[dict[str, Any]]:
    yield _name("process_name", _DRIVER, 0, f"driver: {clean(app.name)}")
    for thread, name in enumerate(("SQL executions", "jobs", "stages")):
        yield _name("thread_name", _DRIVER, thread, name)
    for execution in app.executions:
        yield _span(
            app, f"SQL {execution.id}: {clean(execution.description)}", _DRIVER, 0, execution.begin, execution.end
        )
    for job in app.jobs:
        yield _span(app, f"job {job.id} {clean(job.description)}".strip(), _DRIVER, 1, job.begin, job.end)
    for stage in app.stages:
        yield _span(app, f"stage {stage.id}.{stage.attempt}: {clean(stage.name)}", _DRIVER, 2, stage.begin, stage.end)
    yield from _tasks(app, times)


def _tasks(app: Application, times: Any) -> Iterator[dict[str, Any]]:
    tasks = app.tasks
    names, lanes = waterfall.lanes(app)
    for lane, name in enumerate(names):
        yield _name("thread_name", 1, lane, clean(name))
    yield _name("process_name", 1, 0, "slots")
    columns: Any = (tasks[name].tolist() for name in ("task_id", "stage", "launched", "finished", "state"))
    for lane, parts, (task, stage, launched, finished, state) in zip(
        lanes.tolist(), times, zip(*columns, strict=True), strict=True
    ):
        told: dict[str, Any] = {
            part.label: round(float(ms), 3) for part, ms in zip(TASK_PARTS, parts, strict=True) if ms > 0
        }
        told["state"] = TaskState(state).name.lower()
        yield {**_span(app, f"task {task} of stage {stage}", 1, lane, launched, finished), "args": told}


def _span(app: Application, name: str, process: int, thread: int, begin: int, end: int) -> dict[str, Any]:
    at, length = (begin - app.begin) * 1000, (end - begin) * 1000
    return {"ph": "X", "name": name, "pid": process, "tid": thread, "ts": at, "dur": length}


def _name(kind: str, process: int, thread: int, name: str) -> dict[str, Any]:
    return {"ph": "M", "name": kind, "pid": process, "tid": thread, "args": {"name": name}}
