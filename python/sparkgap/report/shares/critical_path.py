# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The chain of tasks and waits that the wall time consists of, found backwards from the end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..application import Application

# The next task of a slot is launched before the driver knows of the end of the one before, and some time after.
_SLACK_MS = 200


@dataclass(frozen=True)
class Link:
    """A part of the path, in milliseconds since 1970: a task, as its place among the tasks, or a wait without one."""

    begin: int
    end: int
    task: int | None


def critical_path(app: Application) -> list[Link]:
    """From the start of the application to its end; the parts follow each other without gaps, so they sum to its wall
    time.

    A task follows the one that ended in its executor as it was launched; the first tasks of a stage follow the last
    task of the stages that it needs, or else the last one of anything, after which the driver did something. Inferred:
    a log does not say what the scheduler waited for. Time O(n log n) of tasks.
    """
    return list(_backwards(app))[::-1]


def _backwards(app: Application) -> Iterator[Link]:
    tasks, at = app.tasks, app.end
    ends = _Ends(app)
    place = ends.last(None, at)
    while place is not None:
        begin, end = int(tasks["launched"][place]), min(int(tasks["finished"][place]), at)
        if end < at:
            yield Link(end, at, None)
        if begin < end:
            yield Link(begin, end, place)
        at = min(begin, at)
        place = ends.before(place, at)
    if at > app.begin:
        yield Link(app.begin, at, None)


class _Ends:
    """Tasks by their end: of all, of each executor, of each stage."""

    def __init__(self, app: Application) -> None:
        self._app = app
        tasks = app.tasks
        order = np.lexsort([np.arange(len(tasks)), tasks["finished"]])
        self._groups: dict[Any, tuple[Any, Any]] = {None: (tasks["finished"][order], order)}
        for kind in ("executor", "stage"):
            by = order[np.argsort(tasks[kind][order], kind="stable")]
            for rows in np.split(by, np.flatnonzero(np.diff(tasks[kind][by])) + 1):
                if len(rows):
                    self._groups[kind, int(tasks[kind][rows[0]])] = (tasks["finished"][rows], rows)
        self._stages = {(stage.id, stage.attempt): stage for stage in app.stages}

    def before(self, place: int, at: int) -> int | None:
        """What the task at a place waited for, which was launched at that time."""
        tasks = self._app.tasks
        stage = self._stages.get((int(tasks["stage"][place]), int(tasks["stage_attempt"][place])))
        if stage is not None and at - stage.begin <= _SLACK_MS:
            needed = [self.last(("stage", parent), at) for parent in stage.needs]
            known = [each for each in needed if each is not None]
            return max(known, key=lambda each: int(tasks["finished"][each]), default=self.last(None, at))
        found = self.last(("executor", int(tasks["executor"][place])), at + _SLACK_MS, launched_before=at)
        if found is not None and tasks["finished"][found] >= at - _SLACK_MS:
            return found
        return self.last(None, at)

    def last(self, group: Any, at: int, launched_before: int | None = None) -> int | None:
        """The task of a group that ended last, at that time or before; it was launched before it, or before another."""
        if group not in self._groups:
            return None
        finished, places = self._groups[group]
        launched = self._app.tasks["launched"]
        limit = at if launched_before is None else launched_before
        for i in range(int(np.searchsorted(finished, at, side="right")) - 1, -1, -1):
            if launched[places[i]] < limit:
                return int(places[i])
        return None
