# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The page's tables of what happened beside stages: faults, batches of streams, operations of clients."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..shares.clock import STEPS
from .words import clean, seconds

if TYPE_CHECKING:
    from ..report import Report


def tables(report: Report) -> dict[str, Any]:
    """What the template asks for."""
    wall = max(report.wall_s, 1e-9)
    places = {min(STEPS - 1, int(STEPS * at / wall)) for at in report.faults["at_s"].to_pylist()}
    return {
        "faults": faults(report),
        "n_faults": f"{report.faults.num_rows:,} fault{'s' * (report.faults.num_rows != 1)}",
        "fault_places": sorted(places),
        "batches": [_batch(row) for row in report.batches.to_pylist()],
        "operations": [_operation(row) for row in report.operations.to_pylist()],
    }


def faults(report: Report) -> list[dict[str, Any]]:
    """One row for all that are the same, in the order of the first."""
    alike: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in report.faults.to_pylist():
        alike.setdefault((row["kind"], row["what"]), []).append(row)
    return [
        {
            "kind": kind,
            "what": clean(what),
            "n": f"{len(rows):,}",
            "first": seconds(rows[0]["at_s"]),
            "last": seconds(rows[-1]["at_s"]) if len(rows) > 1 else "",
            "executors": clean(_few({row["executor"] for row in rows if row["executor"] is not None})),
            "stages": _few({row["stage"] for row in rows if row["stage"] is not None}),
        }
        for (kind, what), rows in alike.items()
    ]


def _few(values: set[Any], most: int = 8) -> str:
    named = [str(value) for value in sorted(values)]
    return ", ".join(named[:most]) + (f" and {len(named) - most} more" if len(named) > most else "")


def _batch(row: Mapping[str, Any]) -> dict[str, Any]:
    phases = sorted(row["phases"], key=lambda phase: -float(phase[1]))
    return {
        "query": clean(row["query"]),
        "id": row["batch"],
        "begin": seconds(row["begin_s"]),
        "wall": seconds(row["wall_s"]),
        "rows": f"{row['rows']:,}",
        "rate": f"{row['rows'] / row['wall_s']:,.0f}" if row["wall_s"] else "",
        "phases": clean(", ".join(f"{name} {seconds(length)}" for name, length in phases if length)),
    }


def _operation(row: Mapping[str, Any]) -> dict[str, Any]:
    names = ("analysis", "planning", "execution", "fetch")
    known = ((name, row[f"{name}_s"]) for name in names)
    return {
        "user": clean(row["user"]),
        "tags": clean(", ".join(row["tags"])),
        "statement": clean(row["statement"]),
        "outcome": clean(row["outcome"]),
        "begin": seconds(row["begin_s"]),
        "wall": seconds(row["wall_s"]),
        "phases": ", ".join(f"{name} {seconds(length)}" for name, length in known if length is not None),
        "jobs": _few(set(row["jobs"])),
    }
