# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Stacks of a profile as trees, which the page draws as flame graphs: of everything, of each job, of each stage."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from .words import clean, percent

if TYPE_CHECKING:
    from ..application import Application, Stacks
    from ..report import Report

# What is narrower than this share of a graph cannot be seen.
_LEAST = 0.004
_MOST_GRAPHS = 30
_HOTTEST = 15


def graphs(report: Report) -> dict[str, Any]:
    """What the template asks for: names of frames once, and a tree for each graph, [frame, samples, children]."""
    stacks = report.application.stacks
    if stacks is None:
        return {"flames": None, "hottest": []}
    names: dict[int, int] = {}
    counted = [(name, np.bincount(stacks.stack[rows], stacks.n[rows])) for name, rows in _chosen(report.application)]
    largest = sorted(range(len(counted)), key=lambda place: -counted[place][1].sum())[:_MOST_GRAPHS]
    trees = [
        {"name": counted[place][0], "tree": _tree(stacks, counted[place][1], names)}
        for place in sorted(largest)
        if counted[place][1].sum()
    ]
    shown = [clean(stacks.frames[frame]) for frame in names]
    return {"flames": {"names": shown, "graphs": trees}, "hottest": _hottest(stacks)}


def _chosen(app: Application) -> Iterator[tuple[str, Any]]:
    """The graphs by name, and which rows of the stacks each has."""
    assert app.stacks is not None
    task, stage = app.stacks.task, app.stacks.stage
    yield "everything", np.ones(len(task), bool)
    yield "all tasks", task
    yield "outside of tasks: the driver, and what serves tasks", ~task
    places = np.unique(stage[stage >= 0]).tolist()
    jobs = sorted({(app.stages[place].job or 0): None for place in places})
    for job in jobs:
        own = [place for place in places if (app.stages[place].job or 0) == job]
        yield f"job {job}", np.isin(stage, own)
    for place in places:
        again = f".{app.stages[place].attempt}" if app.stages[place].attempt else ""
        yield f"stage {app.stages[place].id}{again}", stage == place


def _tree(stacks: Stacks, counts: Any, names: dict[int, int]) -> list[Any]:
    rows = [(stacks.stacks[place], int(counts[place])) for place in np.flatnonzero(counts).tolist()]
    whole = int(counts.sum())
    return [-1, whole, _children(stacks, rows, 0, whole * _LEAST, names)]


def _children(
    stacks: Stacks, rows: list[tuple[list[int], int]], depth: int, least: float, names: dict[int, int]
) -> list[Any]:
    by_frame: dict[int, list[tuple[list[int], int]]] = {}
    for row in rows:
        if len(row[0]) > depth:
            by_frame.setdefault(row[0][depth], []).append(row)
    found = []
    for frame, own in sorted(by_frame.items(), key=lambda each: stacks.frames[each[0]]):
        samples = sum(n for _, n in own)
        if samples >= least:
            number = names.setdefault(frame, len(names))
            found.append([number, samples, _children(stacks, own, depth + 1, least, names)])
    return found


def _hottest(stacks: Stacks) -> list[tuple[str, str, str]]:
    """The methods that were the innermost in most samples."""
    counts = np.bincount(stacks.stack, stacks.n)
    by_frame: dict[int, int] = {}
    for place in np.flatnonzero(counts).tolist():
        if stacks.stacks[place]:
            inner = stacks.stacks[place][-1]
            by_frame[inner] = by_frame.get(inner, 0) + int(counts[place])
    first = sorted(by_frame.items(), key=lambda each: (-each[1], stacks.frames[each[0]]))[:_HOTTEST]
    whole = max(1.0, float(counts.sum()))
    return [(clean(stacks.frames[frame]), f"{n:,}", percent(n / whole)) for frame, n in first]
