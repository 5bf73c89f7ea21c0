# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What the slots of an application do at any time, summed up so that each window of time is two look-ups.

A slot is a place for one task: the cores of the executors that live, divided by `spark.task.cpus`. Slots come from
cores and not from tasks that were seen side by side: a task is launched before the end of the one whose slot it takes
reaches the driver. While more tasks run than there are slots, as many slots are counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..application import Application, Execution, Job
from .parts import DRIVER_PARTS, IDLE_PARTS

# Of a timeline.
STEPS = 240


class Clock:
    """Cumulative sums over the time of an application, in milliseconds.

    What a slot with a task has is known at each launch and end of one; all else where it is asked for: at the begins
    and ends of stages, jobs and executions, and at the `edges` of a timeline.
    """

    def __init__(self, app: Application) -> None:
        self.app = app
        tasks = app.tasks
        self.edges = np.linspace(app.begin, app.end, STEPS + 1)
        windows = [[each.begin, each.end] for kind in (app.stages, app.jobs, app.executions) for each in kind]
        self._marks = np.unique(np.concatenate([self.edges, *windows]))
        self.times = np.unique(
            np.concatenate(
                [
                    [app.begin, app.end],
                    tasks["launched"],
                    tasks["finished"],
                    *windows,
                    *([_at(app, e.added, app.begin), _at(app, e.removed, app.end)] for e in app.executors),
                ]
            )
        )
        self.slots = self._count([(*life, n) for life, n in zip(_lives(app), slots_of(app), strict=True)])
        self.running = self._count_all(tasks["launched"], tasks["finished"])
        active = self._count([(stage.begin, stage.end, stage.n_tasks) for stage in app.stages])
        self._sum(active, np.maximum(active - self._launched(), 0))

    def between(self, key: str, begin: float, end: float) -> float:
        """Milliseconds of an idle or driver part in a window."""
        return self._look(self._parts[key], begin, end)

    def native(self, begin: float, end: float) -> float:
        """Milliseconds of slots without a task while ranks of a native call run."""
        return self._look(self._native, begin, end)

    def busy(self, begin: Any, end: Any) -> Any:
        """The part of the wall time that a slot has, which is busy all through a window; also of many at once."""
        return np.interp(end, self.times, self._one_slot) - np.interp(begin, self.times, self._one_slot)

    def all_busy(self, begin: float, end: float) -> float:
        """The same of all slots that are busy in a window."""
        return self._look(self._all_slots, begin, end)

    def spread(self, rates: Any) -> Any:
        """The cumulative part of the wall time of what goes on at a rate in each step between `times`."""
        return _cumulated(np.diff(self._one_slot) * rates)

    def slots_at(self, time: int) -> int:
        """The slots that there are, or that are seen busy."""
        i = min(max(int(np.searchsorted(self.times, time, "right")) - 1, 0), len(self.times) - 1)
        return int(max(self.slots[i], self.running[i]))

    def _look(self, sums: Any, begin: float, end: float) -> float:
        return float(np.interp(end, self._marks, sums) - np.interp(begin, self._marks, sums))

    def _marked(self, steps: Any) -> Any:
        """The sum up to each mark."""
        return np.interp(self._marks, self.times, _cumulated(steps))

    def _sum(self, active: Any, pending: Any) -> None:
        step = np.diff(self.times).astype(float)
        running, slots = self.running[:-1], np.maximum(self.slots, self.running)[:-1]
        busy = running > 0
        share = np.divide(step, slots, out=np.zeros_like(step), where=busy)
        self._one_slot = _cumulated(share)
        self._all_slots = self._marked(share * running)
        free = np.where(busy, slots - running, 0)
        # Ranks take processors beyond the slot of the task that waits for them.
        ranks = self.app.tasks["native"] > 0
        native = self._count_all(self.app.tasks["launched"][ranks], self.app.tasks["finished"][ranks])[:-1] > 0
        idle = np.where(native, 0, free)
        waiting = np.minimum(idle, pending[:-1])
        few = np.minimum(idle - waiting, np.maximum(slots - active[:-1], 0))
        self._native = self._marked(share * (free - idle))
        idle_parts = {"pending": waiting, "too_few": few, "tail": idle - waiting - few}
        self._parts = {part.key: self._marked(share * idle_parts[part.key]) for part in IDLE_PARTS}
        self._parts |= {key: self._marked(np.where(chosen, step, 0)) for key, chosen in self._reasons(~busy)}

    def _reasons(self, quiet: Any) -> Iterator[tuple[str, Any]]:
        """Why no task runs: for each part the steps of time that are its."""
        app, begins = self.app, self.times[:-1]
        jobs = self._count([(job.begin, job.end, 1) for job in app.jobs])[:-1] > 0
        planning = self._count([(each.begin, each.end, 1) for each in app.executions])[:-1] > 0
        living = self._count([(*life, 1) for life in _lives(app)])[:-1] > 0
        work: list[Job | Execution] = [*app.jobs, *app.executions]
        first = min((each.begin for each in work), default=app.end)
        last = max((each.end for each in work), default=app.begin)
        arrivals = [executor.added for executor in app.executors if executor.added is not None]
        arrived = begins >= min(arrivals) if arrivals else np.ones(len(begins), bool)
        left = quiet
        for part in DRIVER_PARTS:
            chosen = {
                "no_executors": jobs & ~living & (arrived | (begins >= first)),
                "job_no_task": jobs,
                "planning": planning,
                "startup": ~arrived,
                "before": begins < first,
                "between": begins < last,
                "after": np.ones(len(begins), bool),
            }[part.key]
            yield part.key, left & chosen
            left = left & ~chosen

    def _launched(self) -> Any:
        """Of the stages that are active, the tasks that have been launched at least once."""
        app, tasks = self.app, self.app.tasks
        if not len(tasks):
            return np.zeros(len(self.times), np.int64)
        stages = sorted(app.stages, key=lambda stage: stage.key)
        keys, begins, ends = (
            np.array(column) for column in zip(*((s.key, s.begin, s.end) for s in stages), strict=True)
        )
        first = tasks.firsts()
        place = np.searchsorted(keys, tasks.stage_key[first])
        launched = np.maximum(tasks["launched"][first], begins[place])
        return self._count_all(launched, np.maximum(ends[place], launched))

    def _count(self, spans: Sequence[tuple[int, int, int]]) -> Any:
        """How many there are from each time on."""
        if not spans:
            return np.zeros(len(self.times), np.int64)
        begins, ends, weights = (np.array(column) for column in zip(*spans, strict=True))
        return self._count_all(begins, ends, weights)

    def _count_all(self, begins: Any, ends: Any, weights: Any = None) -> Any:
        change = np.zeros(len(self.times), np.int64)
        weights = np.ones(len(begins), np.int64) if weights is None else weights
        np.add.at(change, np.searchsorted(self.times, begins), weights)
        np.add.at(change, np.searchsorted(self.times, ends), -weights)
        return np.cumsum(change)


def slots_of(app: Application) -> list[int]:
    """The slots of each executor."""
    text = app.settings.get("spark.task.cpus", "1")
    each = max(1, int(text)) if text.isascii() and text.isdecimal() else 1
    return [(executor.cores or 0) // each for executor in app.executors]


def _lives(app: Application) -> list[tuple[int, int]]:
    """From when to when each executor is there."""
    lives = []
    for executor in app.executors:
        begin = _at(app, executor.added, app.begin)
        lives.append((begin, max(begin, _at(app, executor.removed, app.end))))
    return lives


def _at(app: Application, time: int | None, otherwise: int) -> int:
    return min(max(time if time is not None else otherwise, app.begin), app.end)


def _cumulated(steps: Any) -> Any:
    return np.concatenate([[0.0], np.cumsum(steps)])
