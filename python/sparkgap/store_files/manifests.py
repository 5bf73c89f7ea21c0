# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Manifests: what the file of a table says."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import DataError

VERSION = 1
SUFFIX = ".json"
_FOLDER = re.compile(r"([0-9]{1,9})(-[0-9a-f]+)?")  # the number alone in 0.1.0


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

    @property
    def folder(self) -> str | None:
        """The name of the folder with a published table's segments; None for a table of an application."""
        if self.published is None:
            return None
        return str(self.published.get("folder") or self.published["edition"])


def edition(folder: str) -> int | None:
    """The number of the edition whose folder has that name; None where it is no edition's.

    Examples
    --------
    >>> edition("3-9e107d9d372bb682"), edition("3"), edition("notes")
    (3, 3, None)
    """
    parts = _FOLDER.fullmatch(folder)
    return int(parts[1]) if parts else None


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
    raise DataError.of(
        f"table {file}", f"a manifest of version {VERSION}", found.rstrip("."), "Do make the table again."
    )


def _parse(root: dict[str, Any]) -> Manifest:
    if root["version"] != VERSION:
        raise ValueError(f"version {root['version']}")
    segments = [_segment("rows", s) for s in root["segments"]]
    graph = root.get("graph") or {}
    for role in ("in", "out") if graph else ():
        segments += [_segment(role, s) for s in graph[role]]
    published = root.get("published")
    if published is not None and _whole(published["edition"]) < 1:
        raise ValueError(f"edition {published['edition']}")
    columns = tuple((str(c["name"]), str(c["type"]), bool(c.get("nullable", True))) for c in root["schema"])
    return Manifest(str(root["name"]), columns, tuple(segments), bool(graph), published)


def _segment(role: str, said: dict[str, Any]) -> Segment:
    path = Path(said["path"])
    if not path.is_absolute() or "\0" in said["path"]:
        raise ValueError(f"the path {said['path']!r}, which is not absolute")
    return Segment(role, str(said["host"]), path, _whole(said["rows"]), _whole(said["bytes"]), str(said["crc32c"]))


def _whole(said: Any) -> int:
    """A count. int() would take 1.5, "1" and true as well, and infinity for an overflow."""
    if type(said) is not int or not 0 <= said < 2**63:
        raise ValueError(f"{str(said)[:40]!r}, which is no whole number from 0 to 2^63 - 1")
    return said
