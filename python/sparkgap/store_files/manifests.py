# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Manifests: what the file of a table says."""

from __future__ import annotations

import json
import os
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
    """One file of a table. `role` is `rows`, or `in` or `out` for the arcs of a graph; `crc32c` is None where it is not
    known.
    """

    role: str
    host: str | None
    path: Path
    rows: int
    bytes: int
    crc32c: str | None


@dataclass(frozen=True)
class Manifest:
    """A table as its manifest describes it; `published` is None for a table of an application, `graph` for one that is
    no graph.
    """

    name: str
    columns: tuple[tuple[str, str, bool], ...]
    segments: tuple[Segment, ...]
    graph: dict[str, Any] | None
    published: dict[str, Any] | None

    @property
    def is_graph(self) -> bool:
        return self.graph is not None

    @property
    def rows(self) -> int:
        """Of the table; the arcs of a graph are not rows."""
        return sum(s.rows for s in self.segments if s.role == "rows")

    @property
    def folder(self) -> str | None:
        """The name of the folder with a published table's segments; None for a table of an application."""
        if self.published is None:
            return None
        return str(self.published.get("folder", self.published["edition"]))


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
        It is not one that FORMAT.md describes, a link among it.
    FileNotFoundError
        There is none.
    """
    try:
        with open(os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as said:
            return _parse(json.loads(said.read(), parse_constant=_constant))
    except FileNotFoundError:
        raise
    except (KeyError, IndexError) as e:
        found = f"no {e}"
    except OSError as e:
        found = str(e.strerror)
    except (ValueError, TypeError, AttributeError, RecursionError) as e:
        found = str(e)
    raise DataError.of(
        f"table {file}", f"a manifest of version {VERSION}", found.rstrip("."), "Do make the table again."
    )


def read_published(file: Path) -> Manifest:
    """The same for a published table. Raises: the same, and DataError where it does not say that it is one."""
    found = read(file)
    if found.published is None:
        raise DataError.of(
            f"table {file}", "the manifest of a published table", "no entry 'published'", "Do publish it again."
        )
    return found


def _parse(root: dict[str, Any]) -> Manifest:
    if type(root["version"]) is not int or root["version"] != VERSION:
        raise ValueError(f"version {root['version']}")
    columns = tuple(_column(c) for c in _list(root["schema"], "schema"))
    rows = [_segment("rows", s) for s in _list(root["segments"], "segments")]
    for key in ("rows", "bytes"):
        _whole(sum(getattr(s, key) for s in rows))
    graph = root.get("graph")
    arcs = [] if graph is None else [_segment(role, s) for role in ("in", "out") for s in _list(graph[role], role)]
    if graph is not None and not (
        type(graph["directed"]) is type(graph["weighted"]) is bool and _whole(graph.get("edges", 0)) >= 0
    ):
        raise ValueError("a graph that says neither whether it has a direction nor whether it has weights")
    return Manifest(_text(root["name"]), columns, (*rows, *arcs), graph, _published(root.get("published")))


def _published(said: dict[str, Any] | None) -> dict[str, Any] | None:
    """A sweep goes by it, so nothing is guessed."""
    if said is None:
        return None
    for key in ("folder", "application", "at", "durable"):
        if said.get(key) is None:
            said.pop(key, None)
        else:
            _text(said[key])
    number = _whole(said["edition"])
    if number < 1 or edition(said.get("folder", str(number))) != number:
        raise ValueError(f"edition {number} in the folder {said.get('folder')!r}")
    return said


def _column(said: dict[str, Any]) -> tuple[str, str, bool]:
    nullable = said.get("nullable", True)
    if type(nullable) is not bool:
        raise ValueError(f"{nullable!r:.40} for nullable")
    return _text(said["name"]), _text(said["type"]), nullable


def _segment(role: str, said: dict[str, Any]) -> Segment:
    path = _text(said["path"])
    if not path.startswith("/") or "\0" in path:
        raise ValueError(f"the path {path!r}, which is not absolute")
    host, crc32c = (None if said.get(key) is None else _text(said[key]) for key in ("host", "crc32c"))
    return Segment(role, host, Path(path), _whole(said["rows"]), _whole(said["bytes"]), crc32c or None)


def _list(said: Any, what: str) -> list[Any]:
    if type(said) is not list:
        raise ValueError(f"{what} that is no list")
    return said


def _text(said: Any) -> str:
    if type(said) is not str:
        raise ValueError(f"{str(said)[:40]!r}, which is no text")
    return said


def _whole(said: Any) -> int:
    """A count. int() would take 1.5, "1" and true as well, and infinity for an overflow."""
    if type(said) is not int or not 0 <= said < 2**63:
        raise ValueError(f"{str(said)[:40]!r}, which is no whole number from 0 to 2^63 - 1")
    return said


def _constant(said: str) -> None:
    raise ValueError(f"{said!r}, which is no whole number from 0 to 2^63 - 1 and no JSON")
