# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The wall time of an application, a job, a SQL execution or a stage as shares that add up to it.

While tasks run, each moment is divided among the slots: a slot with a task gives its part to what that task does, a
slot without one to the reason why it has none. While no task runs, the moment has one reason.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..application import Application
from .clock import Clock
from .parts import DRIVER_PARTS, IDLE_PARTS, OTHER, PARTS, TASK_PARTS, task_parts


@dataclass(frozen=True)
class Shares:
    """Of one window of time: milliseconds by key of a part. They sum to `wall`."""

    kind: str
    id: int | None
    attempt: int | None
    begin: int
    end: int
    parts: dict[str, float]

    @property
    def wall(self) -> int:
        return self.end - self.begin

    def share(self, key: str) -> float:
        """Between 0 and 1; 0 of nothing."""
        return self.parts[key] / self.wall if self.wall else 0.0


class Wall:
    """The shares of an application and of all that is in it. `times` are the parts of its tasks in milliseconds."""

    def __init__(self, app: Application, clock: Clock) -> None:
        self.app, self._clock = app, clock
        self.times = task_parts(app.tasks, gc_is_concurrent=app.gc_is_concurrent)
        tasks = app.tasks
        order = np.argsort(tasks.stage_key, kind="stable").astype(np.int32)
        cuts = np.flatnonzero(np.diff(tasks.stage_key[order])) + 1
        self._rows = {
            (int(tasks["stage"][rows[0]]), int(tasks["stage_attempt"][rows[0]])): rows
            for rows in np.split(order, cuts)
            if len(rows)
        }

    def rows(self, stage: int, attempt: int) -> Any:
        """The places of a stage's tasks, in the order of their launch."""
        return self._rows.get((stage, attempt), np.zeros(0, np.int64))

    def application(self) -> Shares:
        return self._shares("application", None, None, self.app.begin, self.app.end, list(self._rows.values()))

    def jobs(self) -> Iterator[Shares]:
        for job in self.app.jobs:
            yield self._shares("job", job.id, None, job.begin, job.end, self._of_stages(job.stages))

    def executions(self) -> Iterator[Shares]:
        stages: dict[int, list[int]] = {}
        for job in self.app.jobs:
            if job.execution is not None:
                stages.setdefault(job.execution, []).extend(job.stages)
        for execution in self.app.executions:
            rows = self._of_stages(stages.get(execution.id, []))
            yield self._shares("execution", execution.id, None, execution.begin, execution.end, rows)

    def stages(self) -> Iterator[Shares]:
        for stage in self.app.stages:
            rows = self.rows(stage.id, stage.attempt)
            yield self._shares("stage", stage.id, stage.attempt, stage.begin, stage.end, [rows])

    def _of_stages(self, stages: list[int]) -> list[Any]:
        wanted = set(stages)
        return [rows for (stage, _), rows in self._rows.items() if stage in wanted]

    def _shares(
        self, kind: str, number: int | None, attempt: int | None, begin: int, end: int, stages: list[Any]
    ) -> Shares:
        """Of a window in which the tasks of these stages, places of each, are its own."""
        clock, parts, busy = self._clock, dict.fromkeys((part.key for part in PARTS), 0.0), 0.0
        for rows in stages:
            own, times = self._own(rows, begin, end)
            busy += own
            for part, milliseconds in zip(TASK_PARTS, times, strict=True):
                parts[part.key] += float(milliseconds)
        parts["native"] += clock.native(begin, end)
        for part in (*IDLE_PARTS, *DRIVER_PARTS):
            parts[part.key] = clock.between(part.key, begin, end)
        parts[OTHER.key] = max(0.0, clock.all_busy(begin, end) - busy)
        return Shares(kind, number, attempt, begin, end, parts)

    def _own(self, rows: Any, begin: int, end: int) -> tuple[float, Any]:
        """The part of the window's wall time that tasks have, and the same by their parts."""
        launched, finished = self.app.tasks["launched"][rows], self.app.tasks["finished"][rows]
        own = np.maximum(self._clock.busy(np.clip(launched, begin, end), np.clip(finished, begin, end)), 0)
        whole = (finished - launched).astype(float)
        weight = np.divide(own, whole, out=np.zeros_like(own), where=whole > 0)
        return float(own.sum()), [weight @ column[rows] for column in self.times.T]
