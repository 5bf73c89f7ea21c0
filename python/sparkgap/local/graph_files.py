# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The files of a graph: its vertices, and the arcs beside them (store/FORMAT.md, Graphs)."""

from __future__ import annotations

import os
import shutil
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import ArgumentError
from ..store_files.manifests import Manifest


@dataclass(frozen=True)
class Files:
    """The files of the vertices, and those of the arcs into them and out of them, each as `path`, `rows`, `bytes`."""

    vertices: Sequence[Mapping[str, Any]]
    incoming: Sequence[Mapping[str, Any]]
    outgoing: Sequence[Mapping[str, Any]]

    @staticmethod
    def of_reports(reports: Sequence[Mapping[str, Any]]) -> Files:
        """What ranks have written."""
        arcs = [[file for report in reports for file in report["graph"][side]] for side in ("in", "out")]
        return Files([segment for report in reports for segment in report["segments"]], *arcs)

    @staticmethod
    def of_manifest(manifest: Manifest) -> Files:
        """What a table of the store has."""
        by_role: dict[str, list[dict[str, Any]]] = {"rows": [], "in": [], "out": []}
        for s in manifest.segments:
            by_role[s.role].append({"path": str(s.path), "rows": s.rows, "bytes": s.bytes})
        return Files(by_role["rows"], by_role["in"], by_role["out"])


class GraphFiles:
    """Files that go when the handle does, or when it drops them, if they lie in a folder of its own."""

    copied = 0

    def __init__(self, files: Files, folder: Path | None, *, n_edges: int, directed: bool, weight: str | None) -> None:
        self.rows = self.n_edges = n_edges
        self.n_vertices = sum(file["rows"] for file in files.vertices)
        self.directed, self.weight = directed, weight
        self._files = files
        self._remove = weakref.finalize(self, _remove, folder, os.getpid())

    def as_json(self, host: str) -> dict[str, Any]:
        """As job.json has it."""

        def here(found: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
            return [{**file, "host": host} for file in found]

        of = {"directed": self.directed, "weighted": self.weight is not None, "weight": self.weight}
        arcs = {"edges": self.n_edges, "in": here(self._files.incoming), "out": here(self._files.outgoing)}
        return {"rows": self.n_vertices, "segments": here(self._files.vertices), "graph": {**of, **arcs}}

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


def _remove(folder: Path | None, process: int) -> None:
    if folder is not None and os.getpid() == process:  # a fork has the handle too
        shutil.rmtree(folder, ignore_errors=True)
