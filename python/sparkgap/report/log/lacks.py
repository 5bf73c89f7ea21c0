# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What a log lacks, in words, and how many of its tasks are missing."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from ..application import Application, Tasks, TaskState

CONCURRENT_GC = (
    "The collector works beside the application (ZGC or Shenandoah), and Spark counts that work as GC time; it is no"
    " pause, and is left out."
)
_OPTION = re.compile(r"-XX:\+Use(ZGC|ShenandoahGC)\b")
_MOST_NAMES = 5
_PLACE_OF_TASK = ("stage", "stage_attempt", "index")


def asks_for_concurrent_gc(app: Application) -> bool:
    """Whether the JVMs in which tasks run are told to take a collector that works beside them."""
    keys = (f"spark.{app.side}.{kind}JavaOptions" for kind in ("default", "extra"))
    return any(_OPTION.search(app.settings.get(key, "")) for key in keys)


def lacks(app: Application, ids: set[str], *, unfinished: int, not_started: int, faults: int) -> Iterator[str]:
    """What the numbers have to be read with.

    Parameters
    ----------
    app : Application
    ids : set of str
        Of all applications that the log tells of.
    unfinished, not_started : int
        Tasks without an end, and without a start.
    faults : int
        Those beyond the ones that are named.
    """
    if len(ids) > 1:
        names = ", ".join(sorted(ids)[:_MOST_NAMES])
        yield f"The log tells of several applications ({names}); they are counted as one."
    if app.started is None:
        yield "The start of the application is missing: time is counted from the first event."
    if app.ended is None:
        yield "The end of the application is missing: time is counted to the last event."
    if unfinished:
        yield f"{unfinished} tasks have no end in the log; their time counts as lost work."
    if faults:
        yield f"{faults} faults more than those that are named here."
    jobs = sum(job.submitted is None for job in app.jobs)
    if jobs:
        yield f"The start of {jobs} jobs is missing: events were dropped."
    if missing := _missing_tasks(app) + not_started:
        yield f"Events of {missing} tasks were dropped: shares of running time are too small."
    if app.gc_is_concurrent:
        yield CONCURRENT_GC
    if any(executor.cores is None for executor in app.executors):
        yield "The cores of an executor are not in the log: its slots are those that were seen busy."


def _missing_tasks(app: Application) -> int:
    """Of stages that completed, tasks without an end."""
    tasks = app.tasks
    ended = Tasks({name: tasks[name][tasks["state"] == TaskState.SUCCESS] for name in _PLACE_OF_TASK})
    good = ended.firsts() if len(ended["stage"]) else np.zeros(0, np.int64)
    keys, counts = np.unique(ended.stage_key[good], return_counts=True)
    seen = dict(zip(keys.tolist(), counts.tolist(), strict=True))
    return sum(
        max(0, stage.n_tasks - seen.get(stage.key, 0))
        for stage in app.stages
        if stage.completed is not None and stage.failure is None and stage.attempt == 0
    )
