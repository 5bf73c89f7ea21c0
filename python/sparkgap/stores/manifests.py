# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Manifests: what the file of a table says."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import DataError

VERSION = 1
SUFFIX = ".json"


@dataclass(frozen=True)
class Segment:
    """One file of a table. `role` is `rows`, or `in` or `out` for the arcs of a graph."""

    role: str
    host: str
    path: Path
    rows: int
    bytes: int
    crc32c: str


@dataclass(frozen=True)
class Manifest:
    """A table as its manifest describes it; `published` is None for a table of an application."""

    name: str
    columns: tuple[tuple[str, str, bool], ...]
    segments: tuple[Segment, ...]
    is_graph: bool
    published: dict[str, Any] | None

    @property
    def rows(self) -> int:
        """Of the table; the arcs of a graph are not rows."""
        return sum(s.rows for s in self.segments if s.role == "rows")


def read(file: Path) -> Manifest:
    """The manifest in a file.

    Raises
    ------
    DataError
        It is not one that FORMAT.md describes.
    FileNotFoundError
        There is none.
    """
    try:
        return _parse(json.loads(file.read_bytes()))
    except FileNotFoundError:
        raise
    except (KeyError, IndexError) as e:
        found = f"no {e}"
    except (OSError, ValueError, TypeError, AttributeError, RecursionError) as e:
        found = str(e)
    raise DataError.of(f"table {file}", f"a manifest of version {VERSION}", found.rstrip("."), "Do make the table again.")


def _parse(root: dict[str, Any]) -> Manifest:
    if root["version"] != VERSION:
        raise ValueError(f"version {root['version']}")
    segments = [_segment("rows", s) for s in root["segments"]]
    graph = root.get("graph") or {}
    for role in ("in", "out") if graph else ():
        segments += [_segment(role, s) for s in graph[role]]
    published = root.get("published")
    if published is not None and int(published["edition"]) < 1:
        raise ValueError(f"edition {published['edition']}")
    columns = tuple((str(c["name"]), str(c["type"]), bool(c.get("nullable", True))) for c in root["schema"])
    return Manifest(str(root["name"]), columns, tuple(segments), bool(graph), published)


def _segment(role: str, said: dict[str, Any]) -> Segment:
    path = Path(said["path"])
    if not path.is_absolute():
        raise ValueError(f"the path {path}, which is not absolute")
    return Segment(role, str(said["host"]), path, int(said["rows"]), int(said["bytes"]), str(said["crc32c"]))
