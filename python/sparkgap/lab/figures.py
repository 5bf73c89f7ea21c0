# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Figures of a study from its rows: which values stand where, and which of the paper's beside them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..report.page.words import clean
from . import plot
from .measures import METRICS
from .results import Results
from .study import Figure, Study, of_scale


def figures(parsed: Study, results: Results) -> Iterator[dict[str, Any]]:
    """What the page shows of each figure that has rows."""
    import markupsafe

    for figure in parsed.figures:
        rows = [
            row
            for row in results.rows
            if figure.experiment in row["experiments"]
            and row["state"] == "done"
            and all(str(_level(row, name)) == str(level) for name, level in figure.where.items())
        ]
        if not rows:
            continue
        experiment = {each.name: each for each in parsed.experiments}[figure.experiment]
        listed = {"workload": experiment.workloads, **experiment.factors}
        order = {name: [str(level) for level in of_scale(found, results.scale)] for name, found in listed.items()}
        is_stacked = len(figure.metrics) > 1
        places, series = _stacks(figure, rows, order) if is_stacked else _groups(figure, rows, order)
        kind = "stacks" if is_stacked else figure.kind
        yield {
            "name": clean(figure.name),
            "title": clean(figure.title),
            "axes": _axes(figure),
            "svg": markupsafe.Markup(plot.svg(clean(figure.title), places, series, kind)),
            "series": [(f"s{n % plot.SERIES}", clean(each.name)) for n, each in enumerate(series)],
            "has_published": any(value is not None for each in series for value in each.published),
            "places": places,
            "rows": [(clean(each.name), [_cell(point) for point in each.points]) for each in series],
        }


def _axes(figure: Figure) -> str:
    metric = METRICS[figure.metrics[0]]
    if len(figure.metrics) > 1:
        return f"{metric.unit} over {figure.x}, by {figure.by}, in parts"
    if figure.relative:
        first = figure.x if figure.relative == "x" else figure.by
        return f"{metric.label}, times that of the first {first}, over {figure.x}, by {figure.by}"
    unit = f" ({metric.unit})" if metric.unit else ""
    return f"{metric.label}{unit} over {figure.x}, by {figure.by}"


def _level(row: dict[str, Any], name: str) -> Any:
    return row["workload"] if name == "workload" else row["levels"].get(name)


def _values(rows: list[dict[str, Any]], name: str, order: dict[str, list[str]]) -> list[str]:
    """The levels of a factor: numbers in their order, others as the study has them."""
    found = list(dict.fromkeys(_level(row, name) for row in sorted(rows, key=lambda row: row["begun"])))
    if all(isinstance(each, (int, float)) for each in found):
        return [str(each) for each in sorted(found)]
    known = order.get(name, [])
    return sorted(map(str, found), key=lambda level: known.index(level) if level in known else len(known))


def _groups(
    figure: Figure, rows: list[dict[str, Any]], order: dict[str, list[str]]
) -> tuple[list[str], list[plot.Series]]:
    """A series for each level of `by`; levels that are published alone come last, numbers in their order."""
    places, names = _values(rows, figure.x, order), _values(rows, figure.by, order)
    more = dict.fromkeys(place for values in figure.published.values() for place in values)
    places += [place for place in more if place not in places]
    if all(place.replace(".", "", 1).isdigit() for place in places):
        places.sort(key=float)
    names += [name for name in figure.published if name not in names]
    points = {name: [_point(figure, figure.metrics[0], name, place, rows) for place in places] for name in names}
    first = points[names[0]]
    found = []
    for name, own in points.items():
        if figure.relative:
            base = own[:1] * len(places) if figure.relative == "x" else first
            own = [_divided(point, by) for point, by in zip(own, base, strict=True)]
        published = figure.published.get(name, {})
        found.append(plot.Series(name, own, [published.get(place) for place in places]))
    return places, found


def _divided(point: plot.Point | None, by: plot.Point | None) -> plot.Point | None:
    if point is None or by is None or by.value == 0:
        return None
    return plot.Point(point.value / by.value, point.low / by.value, point.high / by.value)


def _stacks(
    figure: Figure, rows: list[dict[str, Any]], order: dict[str, list[str]]
) -> tuple[list[str], list[plot.Series]]:
    """A series for each metric that is anywhere 1 % of the highest stack."""
    names = _values(rows, figure.by, order)
    found = [(place, name) for place in _values(rows, figure.x, order) for name in names]
    columns = {each: [_point(figure, each, name, place, rows) for place, name in found] for each in figure.metrics}
    heights = [sum(p.value for p in stack if p) for stack in zip(*columns.values(), strict=True)]
    seen = {
        METRICS[each].label: points
        for each, points in columns.items()
        if any(p and p.value > 0.01 * max(heights) for p in points)
    }
    places = [place if len(names) == 1 else f"{place}, {name}" for place, name in found]
    return places, [plot.Series(label, points, [None] * len(places)) for label, points in seen.items()]


def _point(figure: Figure, metric: str, name: str, place: str, rows: list[dict[str, Any]]) -> plot.Point | None:
    own = [row for row in rows if (str(_level(row, figure.by)), str(_level(row, figure.x))) == (name, place)]
    values = [value for row in own if (value := METRICS[metric].of(row)) is not None]
    return plot.Point(float(np.median(values)), min(values), max(values)) if values else None


def _cell(point: plot.Point | None) -> str:
    if point is None:
        return ""
    if point.low == point.high:
        return plot.short(point.value)
    return f"{plot.short(point.value)} ({plot.short(point.low)} to {plot.short(point.high)})"
