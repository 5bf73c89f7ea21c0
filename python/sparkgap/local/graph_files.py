# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The files of a graph that was built: its vertices, and the arcs beside them (store/FORMAT.md, Graphs)."""

from __future__ import annotations

import os
import shutil
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import ArgumentError


class GraphFiles:
    """Files that go when the handle does, or when it drops them."""

    copied = 0

    def __init__(
        self, folder: Path, reports: Sequence[Mapping[str, Any]], *, n_edges: int, directed: bool, weight: str | None
    ) -> None:
        self.rows = self.n_edges = n_edges
        self.n_vertices = sum(report["rows"] for report in reports)
        self.directed, self.weight = directed, weight
        self._reports = reports
        self._remove = weakref.finalize(self, _remove, folder, os.getpid())

    def as_json(self, host: str) -> dict[str, Any]:
        """As job.json has it."""

        def files(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
            return [{"host": host, **file} for file in found]

        arcs = {
            side: files([file for report in self._reports for file in report["graph"][side]]) for side in ("in", "out")
        }
        of = {"directed": self.directed, "weighted": self.weight is not None, "weight": self.weight}
        segments = files([segment for report in self._reports for segment in report["segments"]])
        return {"rows": self.n_vertices, "segments": segments, "graph": {**of, "edges": self.n_edges, **arcs}}

    def check(self) -> None:
        """Raise where it was dropped.

        Raises
        ------
        ArgumentError
            It was.
        """
        if not self._remove.alive:
            raise ArgumentError.of("graph", "a graph that was built", "one that was dropped", "Build it again.")

    def drop(self) -> None:
        """Remove it; results that were computed from it stay. Dropping it again does nothing."""
        self._remove()


def _remove(folder: Path, process: int) -> None:
    if os.getpid() == process:  # a fork has the handle too
        shutil.rmtree(folder, ignore_errors=True)
