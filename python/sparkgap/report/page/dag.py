# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The stages of a query or a job as a graph: a box for each, from left to right as one needs another's output."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .words import clean, percent, seconds

if TYPE_CHECKING:
    from ..application import Stage
    from ..report import Report

_MOST_GRAPHS = 10
_MOST_STAGES = 60
_WIDTH, _HEIGHT, _GAP_X, _GAP_Y = 210, 58, 46, 14
_LETTERS = 30


def graphs(report: Report) -> list[dict[str, Any]]:
    """Of the longest SQL executions, and jobs of none, with more than one stage, in the order in which they began."""
    app = report.application
    latest: dict[int, Stage] = {stage.id: stage for stage in app.stages}  # attempts are in order
    jobs = {job.id: job for job in app.jobs}
    whole: dict[str, list[Stage]] = {}
    for stage in latest.values():
        job = jobs.get(stage.job) if stage.job is not None else None
        if job is not None:
            name = f"job {job.id}" if job.execution is None else f"SQL execution {job.execution}"
            whole.setdefault(name, []).append(stage)
    several = [(name, stages) for name, stages in whole.items() if len(stages) > 1]
    several.sort(key=lambda each: min(stage.begin for stage in each[1]) - max(stage.end for stage in each[1]))
    shown = sorted(several[:_MOST_GRAPHS], key=lambda each: min(stage.begin for stage in each[1]))
    return [_graph(name, stages) for name, stages in shown]


def _graph(name: str, stages: list[Stage]) -> dict[str, Any]:
    left_out = max(0, len(stages) - _MOST_STAGES)
    kept = sorted(sorted(stages, key=lambda stage: stage.begin - stage.end)[:_MOST_STAGES], key=lambda stage: stage.id)
    column: dict[int, int] = {}
    for stage in kept:  # a stage's number is greater than those of the stages that it needs
        column[stage.id] = 1 + max((column[parent] for parent in stage.needs if parent in column), default=-1)
    rows: dict[int, int] = {}
    place: dict[int, tuple[int, int]] = {}
    for stage in kept:
        row = rows.get(column[stage.id], 0)
        rows[column[stage.id]] = row + 1
        place[stage.id] = (column[stage.id] * (_WIDTH + _GAP_X), row * (_HEIGHT + _GAP_Y))
    whole = max(1, sum(stage.end - stage.begin for stage in kept))
    lines = []
    for stage in kept:
        x, y = place[stage.id]
        for parent in stage.needs:
            if parent in place:
                from_x, from_y, middle = place[parent][0] + _WIDTH, place[parent][1] + _HEIGHT / 2, _GAP_X / 2
                to_y = y + _HEIGHT / 2
                lines.append(
                    f"M{from_x} {from_y:g}C{from_x + middle:g} {from_y:g} {x - middle:g} {to_y:g} {x} {to_y:g}"
                )
    return {
        "name": name,
        "width": (max(column.values()) + 1) * (_WIDTH + _GAP_X) - _GAP_X,
        "height": max(rows.values()) * (_HEIGHT + _GAP_Y) - _GAP_Y,
        "box": (_WIDTH, _HEIGHT),
        "lines": lines,
        "boxes": [_box(stage, *place[stage.id], whole) for stage in kept],
        "left_out": left_out,
    }


def _box(stage: Stage, x: int, y: int, whole: int) -> dict[str, Any]:
    length = stage.end - stage.begin
    return {
        "x": x,
        "y": y,
        "share": f"{_WIDTH * length / whole:.1f}",
        "head": f"stage {stage.id}: {seconds(length / 1e3)}, {percent(length / whole)}",
        "name": _short(stage.name),
        "plan": _short(" → ".join(stage.plan)),
        "title": clean(f"{stage.name}\n{' → '.join(stage.plan)}".strip()),
    }


def _short(text: str) -> str:
    shown = clean(text)
    return shown if len(shown) <= _LETTERS else f"{shown[: _LETTERS - 1]}…"
