# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Figures as SVG: bars in groups or in stacks, or lines, with published values hollow beside ours."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 720, 300, 70, 40, 16
SERIES = 10  # colours


@dataclass(frozen=True)
class Point:
    """A value with its least and most; None where there is none."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Series:
    """A value for each place of the x axis."""

    name: str
    points: Sequence[Point | None]
    published: Sequence[float | None]


def svg(title: str, places: Sequence[str], series: Sequence[Series], kind: str) -> str:
    """The picture, of a kind of `bars`, `stacks` and `lines`; colours are classes `s0` to `s9`."""
    top, step = _scale(_most(places, series, kind))
    parts = [f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(title)}" class="figure">']
    tick = 0.0
    while tick <= top * 1.0001:
        y = _y(tick, top)
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH}" y1="{y:.1f}" y2="{y:.1f}" class="grid"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{short(tick)}</text>')
        tick += step
    room = (WIDTH - LEFT) / max(1, len(places))
    for n, place in enumerate(places):
        x = LEFT + (n + 0.5) * room
        for line, words in enumerate(place.split(", ", 1)):
            y = HEIGHT - BOTTOM + 16 + 15 * line
            parts.append(f'<text x="{x:.1f}" y="{y}" text-anchor="middle">{escape(words)}</text>')
    if kind == "stacks":
        return "".join([*parts, *_stacks(series, room, top), "</svg>"])
    draw = _line if kind == "lines" else _bars
    for n, each in enumerate(series):
        parts += draw(n, len(series), each, room, top)
    return "".join([*parts, "</svg>"])


def _most(places: Sequence[str], series: Sequence[Series], kind: str) -> float:
    if kind == "stacks":
        return max((sum(p.value for s in series if (p := s.points[n])) for n in range(len(places))), default=0.0)
    ours = [p.high for s in series for p in s.points if p]
    return max(ours + [v for s in series for v in s.published if v is not None], default=0.0)


def _stacks(series: Sequence[Series], room: float, top: float) -> list[str]:
    found = []
    for place in range(len(series[0].points) if series else 0):
        below = 0.0
        for n, each in enumerate(series):
            if (point := each.points[place]) is not None and point.value > 0:
                y, foot = _y(below + point.value, top), _y(below, top)
                found.append(_rect(LEFT + (place + 0.2) * room, y, 0.6 * room, f"s{n % SERIES}", foot))
                below += point.value
    return found


def _bars(n: int, of: int, series: Series, room: float, top: float) -> list[str]:
    width = 0.8 * room / of
    found = []
    for place, (point, published) in enumerate(zip(series.points, series.published, strict=True)):
        x = LEFT + place * room + 0.1 * room + n * width
        if published is not None:
            y = _y(published, top)
            found.append(_rect(x, y, width, f"hollow s{n % SERIES}"))
        if point is not None:
            found.append(_rect(x + 0.1 * width, _y(point.value, top), 0.8 * width, f"s{n % SERIES}"))
            found.append(_whisker(x + width / 2, point, top))
    return found


def _rect(x: float, y: float, width: float, kind: str, foot: float = HEIGHT - BOTTOM) -> str:
    height = foot - y
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" class="{kind}"/>'


def _line(n: int, of: int, series: Series, room: float, top: float) -> list[str]:
    found = []
    ours = [None if p is None else p.value for p in series.points]
    for values, kind in ((series.published, "dashed"), (ours, "")):
        known = [(LEFT + (i + 0.5) * room, _y(v, top)) for i, v in enumerate(values) if v is not None]
        if known:
            joined = " ".join(f"{x:.1f},{y:.1f}" for x, y in known)
            found.append(f'<polyline points="{joined}" class="{kind} s{n % SERIES}"/>')
            found += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" class="{kind} s{n % SERIES}"/>' for x, y in known]
    shift = (n - (of - 1) / 2) * 3
    for i, point in enumerate(series.points):
        if point is not None:
            found.append(_whisker(LEFT + (i + 0.5) * room + shift, point, top))
    return found


def _whisker(x: float, point: Point, top: float) -> str:
    if point.low == point.high:
        return ""
    low, high = _y(point.low, top), _y(point.high, top)
    return f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{low:.1f}" y2="{high:.1f}" class="whisker"/>'


def _y(value: float, top: float) -> float:
    return TOP + (1 - value / top) * (HEIGHT - BOTTOM - TOP)


def _scale(most: float) -> tuple[float, float]:
    """The axis' end, and the step between its marks: 1, 2 or 5 times a power of ten."""
    if most <= 0:
        return 1.0, 0.25
    raw = most / 4
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * each for each in (1, 2, 5, 10) if power * each >= raw * 0.9999)
    return step * math.ceil(most / step - 1e-9), step


def short(value: float) -> str:
    """With a unit in front of thousands.

    Examples
    --------
    >>> short(0), short(0.25), short(12_500_000)
    ('0', '0.25', '12.5 M')
    """
    for size, unit in ((1e12, " T"), (1e9, " G"), (1e6, " M"), (1e3, " k")):
        if abs(value) >= size:
            return f"{value / size:.3g}{unit}"
    return f"{value:.3g}"
