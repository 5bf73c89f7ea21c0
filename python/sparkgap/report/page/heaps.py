# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The page's strips of each JVM's heap over time, and its collections by collector."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .areas import areas
from .words import clean, percent, seconds

if TYPE_CHECKING:
    from ..report import Report

_GB = 1e9
_MOST_STRIPS = 8
_PARTS = {"cpu": "used", "other_tasks": "free, taken from the system"}


def strips(report: Report) -> dict[str, Any]:
    """What the template asks for."""
    by_executor: dict[str, list[Mapping[str, Any]]] = {}
    for row in report.heaps.to_pylist():
        by_executor.setdefault(row["executor"], []).append(row)
    largest = sorted(by_executor, key=lambda each: -max(row["used_bytes"] for row in by_executor[each]))
    return {
        "heap_parts": list(_PARTS.items()),
        "heaps": [_strip(report, each, by_executor[each]) for each in largest[:_MOST_STRIPS]],
        "more_heaps": max(0, len(largest) - _MOST_STRIPS),
        "collections": _collections(report),
    }


def _strip(report: Report, executor: str, rows: list[Mapping[str, Any]]) -> dict[str, Any]:
    most = max(1, *(row["most_bytes"] for row in rows), *(row["used_bytes"] for row in rows))
    edges = (report.clock.edges - report.application.begin) / 1e3
    middles, at = (edges[1:] + edges[:-1]) / 2, [row["at_s"] for row in rows]
    used = np.interp(middles, at, [row["used_bytes"] for row in rows])
    taken = np.maximum(np.interp(middles, at, [row["committed_bytes"] for row in rows]) - used, 0.0)
    is_seen = (middles >= at[0]) & (middles <= at[-1])
    shares = np.stack([used, taken], axis=1) * is_seen[:, None] / most
    return {
        "executor": clean(executor),
        "most": f"{most / _GB:,.3g} GB",
        "largest": f"{max(row['used_bytes'] for row in rows) / _GB:,.3g} GB",
        "areas": [(key, _PARTS[key], path) for key, path in areas(list(_PARTS), shares)],
    }


def _collections(report: Report) -> list[dict[str, Any]]:
    by_kind: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in report.collections.to_pylist():
        by_kind.setdefault((row["executor"], row["collector"]), []).append(row)
    found = []
    for (executor, collector), rows in sorted(by_kind.items()):
        pause = sum(row["pause_s"] for row in rows)
        causes = Counter(row["cause"] for row in rows).most_common(2)
        found.append(
            {
                "executor": clean(executor),
                "collector": clean(collector),
                "n": f"{len(rows):,}",
                "pause": seconds(pause),
                "share": percent(pause / max(report.wall_s, 1e-9)),
                "longest": seconds(max(row["longest_pause_s"] for row in rows)),
                "causes": clean(", ".join(f"{cause} ({n:,})" for cause, n in causes)),
            }
        )
    return found
