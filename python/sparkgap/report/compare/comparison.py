# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Two sets of runs of a job, compared by the wall time, its parts and the stages that both have."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import ArgumentError
from ..shares.parts import PARTS, Part
from .difference import Difference, differ

if TYPE_CHECKING:
    from ..report import Report

_Key = tuple[str, str, int]


@dataclass(frozen=True)
class StageDifference:
    """A stage that all runs have: by what its job or SQL execution is called, by the nodes of a plan that it ran, or
    else its own name, and which of these it is.
    """

    origin: str
    name: str
    number: int
    wall: Difference


@dataclass(frozen=True)
class Comparison:
    """Seconds of the first set of runs beside those of the second. `unmatched` counts stages that not all runs have."""

    runs: list[Report]
    against: list[Report]
    wall: Difference
    parts: list[tuple[Part, Difference]]
    stages: list[StageDifference]
    unmatched: int

    def as_json(self) -> dict[str, Any]:
        """All of it, for machines."""
        return {
            "version": 1,
            "runs": [_run(each) for each in self.runs],
            "against": [_run(each) for each in self.against],
            "wall": _plain(self.wall),
            "parts": [
                {"part": part.key, "label": part.label, "certainty": part.certainty.value, **_plain(found)}
                for part, found in self.parts
            ],
            "stages": [
                {"origin": each.origin, "name": each.name, "number": each.number, **_plain(each.wall)}
                for each in self.stages
            ],
            "unmatched_stages": self.unmatched,
        }

    def write_json(self, path: str | Path) -> None:
        """Write these numbers. Errors: ResourceError."""
        from ..report import write

        write(Path(path), json.dumps(self.as_json(), indent=1, ensure_ascii=False))

    def write_html(self, path: str | Path) -> None:
        """Write them as a page. Errors: ResourceError."""
        from ..page.comparison import html
        from ..report import write

        write(Path(path), html(self))


def compare(runs: Sequence[Report], against: Sequence[Report]) -> Comparison:
    """Compare two sets of runs.

    Parameters
    ----------
    runs, against : sequence of Report
        At least one each; from three on there are intervals.

    Raises
    ------
    ArgumentError
        A set is empty.
    """
    if not runs or not against:
        raise ArgumentError.of("compare", "at least one run on both sides", "none", "Name a log.")
    parts = [
        (part, differ([_seconds(each, part) for each in runs], [_seconds(each, part) for each in against]))
        for part in PARTS
    ]
    stages, unmatched = _stages(runs, against)
    wall = differ([each.wall_s for each in runs], [each.wall_s for each in against])
    return Comparison(list(runs), list(against), wall, parts, stages, unmatched)


def _seconds(report: Report, part: Part) -> float:
    return report.shares.parts[part.key] / 1e3


def _stages(runs: Sequence[Report], against: Sequence[Report]) -> tuple[list[StageDifference], int]:
    found = [[_by_origin(each) for each in side] for side in (runs, against)]
    every = [keys for side in found for keys in side]
    common = set.intersection(*(set(keys) for keys in every))
    differences = [
        StageDifference(*key, differ([each[key] for each in found[0]], [each[key] for each in found[1]]))
        for key in every[0]
        if key in common
    ]
    return differences, len(set.union(*(set(keys) for keys in every)) - common)


def _by_origin(report: Report) -> dict[_Key, float]:
    """The wall time of each stage's first attempt, by what is the same in another run."""
    jobs = {job.id: job for job in report.application.jobs}
    executions = {each.id: each.description for each in report.application.executions}
    seen: dict[tuple[str, str], int] = {}
    found: dict[_Key, float] = {}
    for row in report.stages.select(["attempt", "job", "name", "plan", "wall_s"]).to_pylist():
        if row["attempt"]:
            continue
        job = jobs.get(row["job"])
        origin = "" if job is None else executions.get(-1 if job.execution is None else job.execution, job.description)
        # Figures of a node, as the range of a Range, may differ between runs of a job.
        name = (origin, " → ".join(node.partition(" (")[0] for node in row["plan"]) or row["name"])
        seen[name] = seen.get(name, 0) + 1
        found[(*name, seen[name])] = row["wall_s"]
    return found


def _run(report: Report) -> dict[str, Any]:
    app = report.application
    return {"name": app.name, "id": app.id, "wall_s": report.wall_s, "warnings": report.warnings}


def _plain(found: Difference) -> dict[str, Any]:
    return {
        "runs_s": found.first,
        "against_s": found.second,
        "difference_s": found.difference,
        "low_s": found.low,
        "high_s": found.high,
        "verdict": found.verdict.value,
    }
