# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Observed time after Anderson et al.: how long a stage would have taken without one of its components.

The tasks of a stage run again, in the order of their launch, on as many slots as it had; then once more with each
task's time less the component. The difference is what a user can gain at most from removing it. These times do not add
up: removing two components gains less than their sum, or more.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..application import Application, Stage
from .clock import Clock
from .parts import TASK_PARTS
from .wall import Wall

COMPONENTS = (
    "gc", "fetch_wait", "shuffle_write", "run_queue", "file_io", "other_wait", "off_cpu", "deserialize", "serialize",
    "result_fetch", "scheduler",
)  # fmt: skip
FACTORS = (0.5, 1.0, 2.0, 4.0)


@dataclass(frozen=True)
class Observed:
    """Of one stage, in milliseconds.

    `actual` is from its first launch to its last end, `replayed` what the replay gives for the same. `without` is what
    goes without each component, `skew` without the time of tasks beyond the median. `by_slots` is how long it takes
    with half, once, twice, four times its slots.
    """

    stage: int
    attempt: int
    slots: int
    actual: float
    replayed: float
    without: dict[str, float]
    skew: float
    by_slots: dict[float, float]
    longest: float
    work: float

    @property
    def error(self) -> float:
        """How far the replay is from what happened, as a share of that."""
        return abs(self.replayed - self.actual) / self.actual if self.actual else 0.0


def replay(durations: Sequence[float], slots: int, offsets: Sequence[float] = ()) -> float:
    """The time from the first launch to the last end.

    Parameters
    ----------
    durations : sequence of float
        Of the tasks in the order of their launch.
    slots : int
        How many run side by side, at least 1.
    offsets : sequence of float
        When each slot takes its first task.

    Examples
    --------
    >>> replay([3, 1, 1, 1], 2), replay([3, 1, 1, 1], 1), replay([3, 1, 1, 1], 2, [0, 1])
    (3, 6, 4)
    """
    if not len(durations):
        return 0
    n = min(max(slots, 1), len(durations))
    free = [*offsets[:n], *[0] * (n - len(offsets[:n]))]
    heapq.heapify(free)
    last = 0.0
    for duration in durations:
        end = free[0] + duration
        heapq.heapreplace(free, end)
        last = max(last, end)
    return last


def observed(app: Application, clock: Clock, wall: Wall) -> list[Observed]:
    """Of every stage that has tasks."""
    return [
        _of(app, clock, stage, rows, wall) for stage in app.stages if len(rows := wall.rows(stage.id, stage.attempt))
    ]


def _of(app: Application, clock: Clock, stage: Stage, rows: Any, wall: Wall) -> Observed:
    launched, finished = app.tasks["launched"][rows], app.tasks["finished"][rows]
    whole = (finished - launched).astype(float)
    seen = 1 if clock.slots.max() else _most_at_once(launched, finished)
    slots = max(clock.slots_at(int(launched[0])), seen, 1)
    first_wave = launched[: min(slots, len(rows))]
    offsets = (first_wave - launched[0]).astype(float).tolist()

    def time(durations: Any, n: int = slots) -> float:
        return float(replay(durations.tolist(), n, offsets))

    replayed = time(whole)
    keys = [part.key for part in TASK_PARTS]
    without = {key: replayed - time(whole - wall.times[rows, keys.index(key)]) for key in COMPONENTS}
    by_slots = {f: replayed if f == 1.0 else time(whole, max(1, round(f * slots))) for f in FACTORS}
    skew = replayed - time(np.minimum(whole, np.median(whole)))
    actual = float(finished.max() - launched[0])
    return Observed(
        stage.id,
        stage.attempt,
        slots,
        actual,
        replayed,
        without,
        skew,
        by_slots,
        float(whole.max()),
        float(whole.sum()),
    )


def _most_at_once(launched: Any, finished: Any) -> int:
    """The most tasks that ran side by side, where the log knows no cores."""
    times = np.concatenate([launched, finished])
    change = np.concatenate([np.ones(len(launched)), -np.ones(len(finished))])
    order = np.lexsort([change, times])
    return int(np.cumsum(change[order]).max())
