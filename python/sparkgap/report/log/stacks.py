# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What a profile's recordings have: stacks of Java's threads, collections, and heaps (`Recording` of the jar)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from ..application import Application, Collection, Heap, Stacks, stage_key

# Samples of a tenth of a second are counted together, by its begin.
_MIDDLE_MS = 50


class Line(msgspec.Struct):
    """One of: a frame, a stack, samples of a stack, a collection, a heap."""

    frame: str | None = None
    stack: list[int] | None = None
    at_ms: int = 0
    executor: str = ""
    of_stack: int | None = None
    task: bool = False
    stage: int | None = None
    attempt: int = 0
    n: int = 0
    collector: str | None = None
    cause: str = ""
    pause_ms: float = 0.0
    longest_ms: float = 0.0
    heap_used: int | None = None
    heap_committed: int = 0
    heap_most: int = 0


def add_stacks(app: Application, path: Path, late_ms: Mapping[str, int]) -> None:
    """Set `app.stacks`, `app.collections` and `app.heaps`, where the profile has a recording. Of an executor on another
    host `late_ms` says what its clock is behind the driver's.
    """
    try:
        lines = path.read_bytes().splitlines()
    except OSError:
        return
    frames: list[str] = []
    stacks: list[list[int]] = []
    samples: list[Line] = []
    broken, decode = 0, msgspec.json.Decoder(Line).decode
    for text in lines:
        try:
            line = decode(text)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            broken += 1
            continue
        line.at_ms += late_ms.get(line.executor, 0)
        if line.frame is not None:
            frames.append(line.frame)
        elif line.stack is not None:
            stacks.append([place for place in line.stack if 0 <= place < len(frames)])
        elif line.of_stack is not None and 0 <= line.of_stack < len(stacks) and line.n > 0:
            samples.append(line)
        elif line.collector is not None:
            pause, longest = max(0.0, line.pause_ms), max(0.0, line.longest_ms)
            app.collections.append(Collection(line.at_ms, line.executor, line.collector, line.cause, pause, longest))
        elif line.heap_used is not None:
            app.heaps.append(Heap(line.at_ms, line.executor, line.heap_used, line.heap_committed, line.heap_most))
        else:
            broken += 1
    if broken:
        # Lines count from the first: after a damaged one a number may mean another frame.
        app.warnings.append(f"{broken} of {len(lines)} lines of stacks are damaged, so stacks were left out.")
        return
    if samples:
        app.stacks = _columns(app, frames, stacks, samples)


def _columns(app: Application, frames: list[str], stacks: list[list[int]], samples: list[Line]) -> Stacks:
    columns = {
        name: np.array([getattr(line, field) for line in samples], kind)
        for name, field, kind in (
            ("at", "at_ms", np.int64), ("task", "task", bool), ("stack", "of_stack", np.int64), ("n", "n", np.int64),
        )
    }  # fmt: skip
    places = {stage.key: place for place, stage in enumerate(app.stages)}
    stage = np.array(
        [-1 if s.stage is None else places.get(int(stage_key(s.stage, s.attempt)), -1) for s in samples], np.int64
    )
    unmarked = np.array([s.task and s.stage is None for s in samples])
    by_executor: dict[str, list[int]] = {}
    for row in np.flatnonzero(unmarked).tolist():
        by_executor.setdefault(samples[row].executor, []).append(row)
    for executor, rows in by_executor.items():
        stage[rows] = _stage_that_ran(app, executor, columns["at"][rows] + _MIDDLE_MS)
    return Stacks(frames, stacks, stage=stage, **columns)


def _stage_that_ran(app: Application, executor: str, at: Any) -> Any:
    """The only stage that an executor ran tasks of at each of these times; -1 where there were several, or none."""
    own = app.tasks.where(
        app.tasks["executor"] == next((i for i, e in enumerate(app.executors) if e.id == executor), -1)
    )
    found = np.full(len(at), -1, np.int64)
    n_running = np.zeros(len(at), np.int64)
    for place, stage in enumerate(app.stages):
        tasks = own.where(own.stage_key == stage.key)
        if not len(tasks):
            continue
        begins, ends = np.sort(tasks["launched"]), np.sort(tasks["finished"])
        running = np.searchsorted(begins, at, "right") > np.searchsorted(ends, at, "left")
        found[running] = place
        n_running += running
    found[n_running != 1] = -1
    return found
