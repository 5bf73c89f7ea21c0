# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Whether what a paper found is found here: a number with its interval, and a verdict that follows from both."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import numpy as np

from ..report.compare.difference import FEWEST_RUNS
from .measures import METRICS
from .results import Results
from .study import HOLDS, Finding, Study, of_scale

_DRAWS, _SEED, _COVERED = 2000, 20170817, 0.95
_COMPARISONS = {"<": operator.lt, ">": operator.gt}


class Verdict(Enum):
    """What the runs here say of a finding."""

    CONFIRMED = "confirmed"
    CONTRADICTED = "contradicted"
    NOT_TESTABLE = "not testable here"


@dataclass(frozen=True)
class Judged:
    """A finding, our number for it with its interval of 95 %, and why it could not be judged."""

    finding: Finding
    verdict: Verdict
    ours: float | None
    low: float | None
    high: float | None
    why: str
    by_workload: Mapping[str, float] = field(default_factory=dict)

    def sentence(self) -> str:
        """For people."""
        found = self.finding
        if self.verdict is Verdict.NOT_TESTABLE:
            return f"Not testable here: {self.why}"
        assert self.ours is not None and self.low is not None and self.high is not None
        numbers = " to ".join(in_words(each, found.kind) for each in (self.low, self.high))
        published = "" if found.published is None else f"; published: {in_words(found.published, found.kind)}"
        label = METRICS[found.metric].label
        each = ""
        if len(self.by_workload) > 1:
            words = (f"{name} {in_words(value, found.kind)}" for name, value in self.by_workload.items())
            each = f"; {', '.join(words)}"
        ours = in_words(self.ours, found.kind)
        return f"{self.verdict.value.capitalize()}: {label} {ours} ({numbers}{each}){published}."


def in_words(value: float, kind: str) -> str:
    """A change, ratio, difference or value.

    Examples
    --------
    >>> in_words(-0.4912, "change"), in_words(2.65, "ratio"), in_words(0.021, "difference"), in_words(0.32, "value")
    ('-49 %', '2.65 times', '+0.021', '0.32')
    """
    if kind == "change":
        return f"{100 * value:+.0f} %"
    return f"{value:.3g} times" if kind == "ratio" else f"{value:.3g}" if kind == "value" else f"{value:+.3g}"


def judge(study: Study, results: Results) -> list[Judged]:
    """All findings of a study, in its order."""
    return [_judge(finding, study, results) for finding in study.findings]


def _judge(finding: Finding, study: Study, results: Results) -> Judged:
    levels = [of_scale(each, results.scale) for each in (finding.frm, finding.to)]
    named = dict(_cells(finding, levels, study, results))
    cells = list(named.values())
    missing = next((cell for cell in cells for each in cell if isinstance(each, str)), None)
    if not cells or missing is not None:
        why = next((each for each in missing or () if isinstance(each, str)), "no workload of it ran at this scale.")
        return Judged(finding, Verdict.NOT_TESTABLE, None, None, None, why)
    ours = _statistic([(np.median(a), np.median(b)) for a, b in cells], finding.kind)
    if ours is None:
        return Judged(finding, Verdict.NOT_TESTABLE, None, None, None, "what it is compared with is 0.")
    fewest = min(len(each) for cell in cells for each in cell)
    if fewest < FEWEST_RUNS:
        why = f"{fewest} of {FEWEST_RUNS} runs that an interval needs; they show {in_words(ours, finding.kind)}."
        return Judged(finding, Verdict.NOT_TESTABLE, ours, None, None, why)
    low, high = _interval(cells, finding.kind)
    comparison, number = _condition(finding.holds)
    ends = {comparison(low, number), comparison(high, number)}
    if len(ends) == 2:
        numbers = f"{in_words(low, finding.kind)} to {in_words(high, finding.kind)}"
        why = f"{fewest} runs of each leave it open: {numbers}."
        return Judged(finding, Verdict.NOT_TESTABLE, ours, low, high, why)
    verdict = Verdict.CONFIRMED if ends == {True} else Verdict.CONTRADICTED
    medians = ((name, _statistic([(np.median(a), np.median(b))], finding.kind)) for name, (a, b) in named.items())
    return Judged(finding, verdict, ours, low, high, "", {name: value for name, value in medians if value is not None})


def _cells(finding: Finding, levels: Sequence[Any], study: Study, results: Results) -> Iterator[tuple[str, list[Any]]]:
    """For each workload the numbers at both levels, or why there are none."""
    experiment = next(each for each in study.experiments if each.name == finding.experiment)
    for workload in of_scale(experiment.workloads, results.scale):
        if finding.where.get("workload", workload) == workload:
            where = {name: level for name, level in finding.where.items() if name != "workload"}
            found = [_numbers(finding, workload, {**where, finding.factor: level}, results) for level in levels]
            yield workload, found


def _numbers(finding: Finding, workload: str, levels: dict[str, Any], results: Results) -> Any:
    rows = [
        row
        for row in results.rows
        if finding.experiment in row["experiments"]
        and row["workload"] == workload
        and all(str(row["levels"].get(name)) == str(level) for name, level in levels.items())
    ]
    said = ", ".join(f"{name}={level}" for name, level in levels.items())
    if not rows:
        return f"{workload} with {said} is not among the runs of scale {results.scale}."
    metric = METRICS[finding.metric]
    fit = ("done", "died") if metric.of_died else ("done",)
    unfit = next((row for row in rows if row["state"] not in fit), None)
    if unfit is not None:
        word = "was left out" if unfit["state"] == "left out" else "died"
        return f"{workload} with {said} {word}: {unfit['why'].rstrip('.')}."
    found = [metric.of(row) for row in rows]
    if any(each is None for each in found):
        return f"{metric.label} was not measured."
    return np.array(found, float)


def _statistic(pairs: Sequence[tuple[Any, Any]], kind: str) -> float | None:
    """The mean over workloads, of ratios the geometric one; None where one of them begins at 0, or a ratio is 0."""
    if kind == "value":
        return float(np.mean([b for _, b in pairs]))
    if kind == "difference":
        return float(np.mean([b - a for a, b in pairs]))
    if any(a == 0 for a, _ in pairs):
        return None
    if kind == "change":
        return float(np.mean([b / a for a, b in pairs])) - 1
    return None if any(b <= 0 for _, b in pairs) else float(np.exp(np.mean([np.log(b / a) for a, b in pairs])))


def _interval(cells: Sequence[Sequence[Any]], kind: str) -> tuple[float, float]:
    """Efron's percentile bootstrap: runs are drawn anew from each cell, with replacement."""
    draw = np.random.default_rng(_SEED)
    found = []
    for _ in range(_DRAWS):
        pairs = [(np.median(draw.choice(a, len(a))), np.median(draw.choice(b, len(b)))) for a, b in cells]
        value = _statistic(pairs, kind)
        if value is not None:
            found.append(value)
    edge = (1 - _COVERED) / 2
    low, high = np.quantile(found, [edge, 1 - edge])
    return float(low), float(high)


def _condition(holds: str) -> tuple[Any, float]:
    found = HOLDS.fullmatch(holds)
    assert found is not None  # the study was checked
    return _COMPARISONS[found[1]], float(found[2])
