# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The page of a comparison of runs; it has no script."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..compare.difference import Difference, Verdict
from .page import read, template
from .words import clean, content_hash, percent, seconds

if TYPE_CHECKING:
    from ..compare.comparison import Comparison
    from ..report import Report


def html(found: Comparison) -> str:
    """The whole page."""
    import markupsafe

    style = read("page.css")
    parts = [
        {"label": part.label, "certainty": part.certainty.value, **_row(each)}
        for part, each in found.parts
        if max(each.first, each.second) >= 5e-4
    ]
    stages = [
        {
            "label": clean(each.name) + (f" ({each.number})" if each.number > 1 else ""),
            "origin": clean(each.origin),
            **_row(each.wall),
        }
        for each in sorted(found.stages, key=lambda each: -abs(each.wall.difference))
    ]
    page: str = template("comparison.html").render(
        title=clean(found.runs[0].application.name or "A Spark application"),
        headline=headline(found),
        rows=[{"label": "wall time", "certainty": "measured", **_row(found.wall)}, *parts],
        stages=stages,
        unmatched=found.unmatched,
        runs=_runs(found.runs),
        against=_runs(found.against),
        style=markupsafe.Markup(style),
        style_hash=content_hash(style),
    )
    return page


def headline(found: Comparison) -> str:
    """The wall times in a sentence."""
    wall = found.wall
    share = abs(wall.difference) / wall.second if wall.second else 0.0
    medians = f"{seconds(wall.first)} against {seconds(wall.second)} (medians)"
    if wall.verdict is Verdict.TOO_FEW:
        return f"{medians}. Fewer than three runs of a set show no difference: it may be noise."
    if wall.verdict is Verdict.NONE:
        return f"No difference shown: {medians}."
    words = "faster" if wall.verdict is Verdict.LESS else "slower"
    return f"{percent(share)} {words}: {medians}."


def _row(found: Difference) -> dict[str, Any]:
    interval = "" if found.low is None or found.high is None else f"{seconds(found.low)}, {seconds(found.high)}"
    return {
        "first": seconds(found.first),
        "second": seconds(found.second),
        "difference": ("+" if found.difference > 0 else "") + seconds(found.difference),
        "interval": interval,
        "verdict": found.verdict.value,
    }


def _runs(reports: Sequence[Report]) -> list[dict[str, str]]:
    return [
        {
            "name": clean(each.application.name),
            "id": clean(each.application.id),
            "wall": seconds(each.wall_s),
            "warnings": clean(" ".join(each.warnings)),
        }
        for each in reports
    ]
