# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What a study is: a file of TOML, with all of it checked before anything runs."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from ..errors import ArgumentError, DataError, LaunchError
from . import own, workloads
from .factors import FACTORS
from .measures import METRICS
from .sizes import is_size

SCALES = ("tiny", "small", "full")
BUILT_IN = Path(__file__).parent / "studies"
HOLDS = re.compile(r"([<>]) (-?[0-9.]+)")
Level = str | int | float | bool
# The same for all scales, or by scale.
Levels = list[Level] | dict[str, list[Level]]


class Strict(msgspec.Struct, forbid_unknown_fields=True):
    """A table of the file, in which no name may be mistyped."""


class Experiment(Strict):
    """Runs of each workload with each combination of levels of its factors; all others have the study's base. `tied`
    has levels of other factors that come with a level, by factor and level.
    """

    name: str
    workloads: list[str] | dict[str, list[str]]
    factors: dict[str, Levels]
    base: dict[str, Level | dict[str, Level]] = {}
    tied: dict[str, dict[str, dict[str, Level]]] = {}


class Figure(Strict):
    """A picture as the paper drew it: a metric over the levels of a factor, one line or group of bars for each level
    of another one; several metrics are stacked. `relative` divides by the value at the first level of `x` or of `by`.
    `published` has values by the other's level, then by the factor's; both may be levels that no run here has.
    """

    name: str
    title: str
    experiment: str
    x: str
    y: str | list[str]
    by: str = "workload"
    kind: Literal["lines", "bars"] = "bars"
    relative: Literal["", "x", "by"] = ""
    where: dict[str, Level] = {}
    published: dict[str, dict[str, float]] = {}

    @property
    def metrics(self) -> list[str]:
        """One, or those that are stacked."""
        return [self.y] if isinstance(self.y, str) else self.y


class Finding(Strict):
    """A sentence of the paper, and the number by which a run of it here is judged: a metric at level `to` of a factor
    beside that at level `frm`, as a `change` (0.5 is half as much again), a `ratio` or a `difference`, or the `value`
    at `to` itself; its mean over the workloads, of ratios the geometric one. `holds` is what the number must be,
    such as `< -0.1`.
    """

    name: str
    text: str
    experiment: str
    metric: str
    factor: str
    holds: str
    frm: Level | dict[str, Level] = msgspec.field(name="from")
    to: Level | dict[str, Level] = msgspec.field(name="to")
    published: float | None = None
    kind: Literal["change", "ratio", "difference", "value"] = "change"
    where: dict[str, Level] = {}


class OwnWorkload(Strict):
    """The workload `own`: the user's application, as it is started."""

    command: str | list[str]


class Study(Strict):
    """All of a file."""

    title: str
    source: str
    question: str
    repeats: dict[str, int]
    size: dict[str, str]
    experiments: list[Experiment]
    order: Literal["interleaved", "blocked"] = "interleaved"
    base: dict[str, Level | dict[str, Level]] = {}
    figures: list[Figure] = []
    findings: list[Finding] = []
    # Of the paper that cannot be asked of any machine of today, and why.
    untestable: dict[str, str] = {}
    workload: OwnWorkload | None = None


def names() -> list[str]:
    """Studies that come with sparkgap."""
    return sorted(file.stem for file in BUILT_IN.glob("*.toml"))


def text_of(study: str) -> tuple[str, str]:
    """The name and the file's text of a study that comes with sparkgap, or of a path to one of the user's.

    Raises
    ------
    ArgumentError
        There is no such study, or the file cannot be read.
    """
    path = BUILT_IN / f"{study}.toml" if study in names() else Path(study)
    if path.suffix != ".toml":
        found, do = repr(study), "Or name a file that ends with .toml."
        raise ArgumentError.of("study", f"one of {', '.join(names())}", found, do)
    try:
        return path.stem, path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as e:
        found = getattr(e, "strerror", None) or "no text"
        raise ArgumentError.of(f"study {study}", "a file that can be read", found, "Look at it.") from None


def parse(name: str, text: str) -> Study:
    """The study that a text says.

    Raises
    ------
    DataError
        It is no TOML, lacks something, has a name that there is not, or contradicts itself.
    """
    try:
        found = msgspec.toml.decode(text, type=Study)
    except ImportError:  # of Python 3.10
        do = "Run: pip install 'sparkgap[lab]'."
        raise LaunchError.of("sparkgap.lab", "the package tomli", "none in this Python", do) from None
    except (msgspec.MsgspecError, ValueError) as e:
        raise DataError.of(f"study {name}", "a study as `sparkgap lab show` prints one", str(e), "Mend it.") from None
    for where, expected, said in _faults(found):
        raise DataError.of(f"study {name}, {where}", expected, said, "Mend it.")
    return found


def of_scale(value: Any, scale: str) -> Any:
    """What a study says for a scale, where it says that by scale."""
    return value[scale] if isinstance(value, dict) else value


def _faults(study: Study) -> Iterator[tuple[str, str, str]]:
    """Where a study is wrong, what is expected there, and what it says."""
    for what, said in (("repeats", study.repeats), ("size", study.size)):
        yield from _scales(what, said)
    for number in study.repeats.values():
        if number < 1:
            yield "repeats", "numbers from 1", str(number)
    for size in study.size.values():
        if not is_size(size):
            yield "size", "sizes such as 512m or 4g", repr(size)
    known = ", ".join(FACTORS)
    yield from _unknown("base", study.base, FACTORS, known)
    experiments = {each.name: each for each in study.experiments}
    if len(experiments) < len(study.experiments) or not experiments:
        yield "experiments", "one or more with names of their own", ", ".join(e.name for e in study.experiments)
    for each in study.experiments:
        where = f"experiment {each.name}"
        yield from _unknown(where, each.base, FACTORS, known)
        yield from _unknown(where, each.factors, FACTORS, known)
        yield from _scales(where, each.workloads)
        known_work = [*workloads.NAMES, *([own.NAME] if study.workload else [])]
        yield from _unknown(where, _by_scale(each.workloads), known_work, ", ".join(known_work))
        for factor, levels in each.factors.items():
            yield from _scales(f"{where}, {factor}", levels)
            yield from _refused(f"{where}, {factor}", factor, _by_scale(levels))
        for factor, by_level in each.tied.items():
            known_levels = [str(level) for level in _by_scale(each.factors.get(factor, []))]
            yield from _unknown(f"{where}, tied", [factor], each.factors, ", ".join(each.factors))
            yield from _unknown(f"{where}, tied {factor}", by_level, known_levels, ", ".join(known_levels))
            for name, with_it in ((name, one) for levels in by_level.values() for name, one in levels.items()):
                yield from _unknown(f"{where}, tied {factor}", [name], FACTORS, known)
                yield from _refused(f"{where}, tied {factor}", name, [with_it] if name in FACTORS else [])
        for factor, level in {**study.base, **each.base}.items():
            yield from _scales(f"{where}, {factor}", level)
            of_all = list(level.values()) if isinstance(level, dict) else [level]
            yield from _refused(f"{where}, {factor}", factor, of_all)
    for figure in study.figures:
        named = [figure.x, figure.by, *figure.where]
        if len(figure.metrics) != 1 and (figure.relative or figure.published or figure.kind == "lines"):
            yield f"figure {figure.name}", "one metric as y, where it is not stacked bars", ", ".join(figure.metrics)
        for metric in figure.metrics:
            yield from _in_experiment(f"figure {figure.name}", figure.experiment, metric, named, study)
        yield from _pooled(f"figure {figure.name}", experiments[figure.experiment], named, "workload")
    for finding in study.findings:
        where = f"finding {finding.name}"
        yield from _in_experiment(where, finding.experiment, finding.metric, [finding.factor, *finding.where], study)
        yield from _pooled(where, experiments[finding.experiment], [finding.factor, *finding.where])
        for level in (finding.frm, finding.to):
            yield from _scales(where, level)
        if HOLDS.fullmatch(finding.holds) is None:
            yield where, "in holds < or >, a blank, and a number", repr(finding.holds)


def _pooled(where: str, found: Experiment, named: Sequence[str], *also: str) -> Iterator[tuple[str, str, str]]:
    """Levels of a factor that nothing names would be one number, which could be read in two ways."""
    for factor in (*found.factors, *also):
        lists = found.workloads if factor == "workload" else found.factors[factor]
        several = max(map(len, lists.values()) if isinstance(lists, dict) else [len(lists)], default=0) > 1
        if several and factor not in named:
            yield where, f"a level of {factor} in where", "several of them"


def _by_scale(value: Any) -> Sequence[Any]:
    """The lists of all scales, or nothing where one is missing, which is said elsewhere."""
    if isinstance(value, Mapping):
        return list(itertools.chain.from_iterable(value.values())) if set(value) == set(SCALES) else []
    return list(value)


def _scales(where: str, value: Any) -> Iterator[tuple[str, str, str]]:
    if isinstance(value, Mapping) and set(value) != set(SCALES):
        yield where, f"values for {', '.join(SCALES)}", ", ".join(value) or "none"


def _refused(where: str, factor: str, levels: Sequence[Any]) -> Iterator[tuple[str, str, str]]:
    for level in levels:
        if (why := FACTORS[factor].refuses(level)) is not None:
            yield where, why, repr(level)


def _unknown(where: str, names: Any, known: Any, expected: str) -> Iterator[tuple[str, str, str]]:
    for name in names:
        if name not in known:
            yield where, f"one of {expected}", repr(name)


def _in_experiment(
    where: str, experiment: str, metric: str, factors: Sequence[str], study: Study
) -> Iterator[tuple[str, str, str]]:
    found = {each.name: each for each in study.experiments}.get(experiment)
    if found is None:
        yield where, "the name of an experiment", repr(experiment)
        return
    if metric not in METRICS:
        yield where, f"a metric of {', '.join(METRICS)}", repr(metric)
    for factor in factors:
        if factor not in ("workload", *found.factors):
            yield where, f"workload or a factor of {experiment}", repr(factor)
