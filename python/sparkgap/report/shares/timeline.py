# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The shares of the wall time in equal steps of time."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from ..application import PROCESSOR_KINDS, Application, Machine
from ..log.machine import COUNTERS
from .clock import STEPS, Clock
from .parts import DRIVER_PARTS, IDLE_PARTS, PARTS, TASK_PARTS
from .wall import Wall


def timeline(app: Application, clock: Clock, wall: Wall) -> Any:
    """Shares between 0 and 1, a row for each of `STEPS` and a column for each of `PARTS`; rows sum to 1.

    A task's parts are spread evenly over its time: a log does not say when in a task each was.
    """
    edges = clock.edges
    found = np.zeros((STEPS, len(PARTS)))
    if app.wall <= 0:
        return found
    for column, part in enumerate(PARTS):
        if part in (*IDLE_PARTS, *DRIVER_PARTS):
            found[:, column] = [clock.between(part.key, a, b) for a, b in itertools.pairwise(edges)]
    tasks = app.tasks
    whole = tasks.duration.astype(float)
    first, last = np.searchsorted(clock.times, tasks["launched"]), np.searchsorted(clock.times, tasks["finished"])
    for column in range(len(TASK_PARTS)):
        rate = np.divide(wall.times[:, column], whole, out=np.zeros_like(whole), where=whole > 0)
        change = np.zeros(len(clock.times))
        np.add.at(change, first, rate)
        np.add.at(change, last, -rate)
        found[:, column] = np.diff(np.interp(edges, clock.times, clock.spread(np.cumsum(change)[:-1])))
    found[:, [part.key for part in PARTS].index("native")] += [clock.native(a, b) for a, b in itertools.pairwise(edges)]
    return np.maximum(found, 0) / (app.wall / STEPS)


def processors(app: Application, clock: Clock) -> Any:
    """How many processors the JVMs used, a row for each of `STEPS` and a column for each of `PROCESSOR_KINDS`."""
    found = np.zeros((STEPS, len(PROCESSOR_KINDS)))
    for each in app.processors:
        times = np.concatenate([[min(app.begin, each.times[0])], each.times]).astype(float)
        for column, seconds in enumerate(each.seconds):
            found[:, column] += np.diff(np.interp(clock.edges, times, np.concatenate([[0.0], seconds])))
    return found / max(app.wall / 1e3 / STEPS, 1e-9)


def machine(app: Application, host: Machine, clock: Clock) -> dict[str, Any]:
    """What a profiled host did, by the names of its columns: `STEPS` values each, of counters the mean rate of each
    second, of levels the value in the middle; 0 where nobody looked.
    """
    edges, times = clock.edges.astype(float), host.times
    seconds = max(app.wall / 1e3 / STEPS, 1e-9)
    middles = (edges[1:] + edges[:-1]) / 2
    found = {}
    for name, values in host.columns.items():
        if name in COUNTERS:
            found[name] = np.diff(np.interp(edges, times, values)) / seconds
        else:
            found[name] = np.interp(middles, times, values, left=0.0, right=0.0)
    return found
