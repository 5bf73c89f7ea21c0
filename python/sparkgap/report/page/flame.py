# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Stacks of a profile as trees, which the page draws as flame graphs: of everything, of each job, of each stage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .words import clean, percent

if TYPE_CHECKING:
    from ..report import Report

# What is narrower than this share of a graph cannot be seen.
_LEAST = 0.004
_MOST_GRAPHS = 30
_HOTTEST = 15


def graphs(report: Report) -> dict[str, Any]:
    """What the template asks for: names of frames once, and a tree for each graph, [frame, samples, children]."""
    rows = report.stacks.to_pylist()
    if not rows:
        return {"flames": None, "hottest": []}
    names: dict[str, int] = {}
    of_job = {stage.id: stage.job for stage in report.application.stages}
    chosen: dict[str, list[dict[str, Any]]] = {
        "everything": rows,
        "all tasks": [row for row in rows if row["task"]],
        "outside of tasks: the driver, and what serves tasks": [row for row in rows if not row["task"]],
    }
    in_stages = [row for row in rows if row["stage"] is not None]
    for row in sorted(in_stages, key=lambda row: (of_job.get(row["stage"]) or 0, row["stage"])):
        chosen.setdefault(f"job {of_job.get(row['stage'])}", []).append(row)
    for row in sorted(in_stages, key=lambda row: (row["stage"], row["attempt"])):
        again = f".{row['attempt']}" if row["attempt"] else ""
        chosen.setdefault(f"stage {row['stage']}{again}", []).append(row)
    some = sorted(chosen.items(), key=lambda each: -sum(row["samples"] for row in each[1]))[:_MOST_GRAPHS]
    order = {name: place for place, name in enumerate(chosen)}
    some.sort(key=lambda each: order[each[0]])
    trees = [{"name": name, "tree": _tree(own, names)} for name, own in some if own]
    return {"flames": {"names": [clean(name) for name in names], "graphs": trees}, "hottest": _hottest(rows)}


def _tree(rows: list[dict[str, Any]], names: dict[str, int]) -> list[Any]:
    whole = sum(row["samples"] for row in rows)
    return [-1, whole, _children([(row["frames"], row["samples"]) for row in rows], 0, whole * _LEAST, names)]


def _children(stacks: list[tuple[list[str], int]], depth: int, least: float, names: dict[str, int]) -> list[Any]:
    by_frame: dict[str, list[tuple[list[str], int]]] = {}
    for stack in stacks:
        if len(stack[0]) > depth:
            by_frame.setdefault(stack[0][depth], []).append(stack)
    found = []
    for frame, own in sorted(by_frame.items()):
        samples = sum(n for _, n in own)
        if samples >= least:
            number = names.setdefault(frame, len(names))
            found.append([number, samples, _children(own, depth + 1, least, names)])
    return found


def _hottest(rows: list[dict[str, Any]]) -> list[tuple[str, str, str]]:
    """The methods that were the innermost in most samples."""
    counts: dict[str, int] = {}
    for row in rows:
        if row["frames"]:
            counts[row["frames"][-1]] = counts.get(row["frames"][-1], 0) + row["samples"]
    whole = sum(row["samples"] for row in rows)
    first = sorted(counts.items(), key=lambda each: (-each[1], each[0]))[:_HOTTEST]
    return [(clean(name), f"{n:,}", percent(n / whole)) for name, n in first]
