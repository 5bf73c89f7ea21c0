# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The tasks of an application as the columns that the waterfall draws: a lane for each slot."""

from __future__ import annotations

import base64
import heapq
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..application import Application
from ..shares.clock import slots_of
from ..shares.parts import TASK_PARTS

_MOST_LANES = 4096
_BLOCK = 1 << 16
_GZIP = 31  # zlib's word for a stream with gzip's head


def lanes(app: Application) -> tuple[list[str], Any]:
    """The names of the lanes, and the lane of each task: of its executor's slots the one that is free the longest.

    Where more tasks run than there are slots, because the end of one reaches the driver late, they lie over each other.
    """
    tasks = app.tasks
    names: list[str] = []
    found = np.zeros(len(tasks), np.uint32)
    for place, (executor, slots) in enumerate(zip(app.executors, slots_of(app), strict=True)):
        rows = np.flatnonzero(tasks["executor"] == place)
        if not len(rows):
            continue
        n = min(max(slots, 1), len(rows), max(1, _MOST_LANES - len(names)))
        free = [(0, lane) for lane in range(n)]
        for row, launched, finished in zip(
            rows.tolist(), tasks["launched"][rows].tolist(), tasks["finished"][rows].tolist(), strict=True
        ):
            end, lane = free[0]
            found[row] = len(names) + lane
            heapq.heapreplace(free, (max(end, finished, launched), lane))
        names += [
            f"executor {executor.id} on {executor.host or 'an unknown host'}, slot {lane + 1}" for lane in range(n)
        ]
    return names, found


def packed(app: Application, times: Any, lane: Any, n_lanes: int, stage: Any) -> str:
    """The columns that page.js reads, each from a multiple of 8 on; gzip, base64. `times` are the parts of tasks. One
    column at a time, for all at once take as much memory as the tasks themselves.
    """
    packer, parts = zlib.compressobj(6, wbits=_GZIP), []
    for column in _columns(app, times, lane, n_lanes, stage):
        parts += [packer.compress(column.data), packer.compress(bytes(-column.nbytes % 8))]
    return base64.b64encode(b"".join([*parts, packer.flush()])).decode()


def _columns(app: Application, times: Any, lane: Any, n_lanes: int, stage: Any) -> Iterator[Any]:
    tasks = app.tasks
    order = np.lexsort([tasks["launched"], lane])
    yield (tasks["launched"][order] - app.begin).astype("<f8")
    whole = tasks.duration[order].astype("<f8")
    yield whole
    yield tasks["task_id"][order].astype("<f8")
    yield lane[order].astype("<u4")
    yield stage[order].astype("<u4")
    yield _shares(times, whole, order)
    yield np.searchsorted(lane[order], np.arange(n_lanes + 1)).astype("<u4")


def _shares(times: Any, whole: Any, order: Any) -> Any:
    """The shares that the parts of each task have, in 255ths; a block of tasks at a time."""
    found = np.zeros((len(order), len(TASK_PARTS)), "u1")
    for first in range(0, len(order), _BLOCK):
        block = slice(first, first + _BLOCK)
        found[block] = np.round(255 * times[order[block]] / np.maximum(whole[block, None], 1))
    return found


def part_names() -> tuple[list[str], list[str]]:
    """Keys and labels of the parts that it draws."""
    return [part.key for part in TASK_PARTS], [part.label for part in TASK_PARTS]
