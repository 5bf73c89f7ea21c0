# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Publishes files of rows under a name, by the steps of store/FORMAT.md (Published tables)."""

from __future__ import annotations

import datetime
import json
import os
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import ArgumentError, ResourceError
from . import locks, manifests, removal
from .places import NAME, PUBLISHED, is_real, published, sync

_HOST = "localhost"  # whoever finds a published table is on its host


@dataclass(frozen=True)
class Part:
    """A whole file in one of the stores, and its CRC-32C. Its role is `rows`, or `in` or `out` for arcs of a graph."""

    path: Path
    rows: int
    bytes: int
    crc32c: str
    role: str = "rows"


def publish(
    name: str,
    columns: Sequence[tuple[str, str, bool]],
    parts: Sequence[Part],
    present: Mapping[str, Path],
    application: str,
    *,
    graph: Mapping[str, Any] | None = None,
) -> manifests.Manifest:
    """The next edition of a published table. Its files get further names of `parts`, which may go.

    Parameters
    ----------
    columns : sequence of (name, type, nullable)
        Types as Spark names them.
    present : mapping of tier to store
        As `Stores.present` gives them; with `memory`.
    graph : mapping, optional
        What the manifest says of a graph; its files are parts.

    Raises
    ------
    ArgumentError
        The name cannot be one.
    DataError
        The manifest that is there is damaged.
    ResourceError
        Another process held a lock for too long.
    """
    if not NAME.fullmatch(name):
        expected = "letters, digits, _ and -, of which the first is a letter, a digit or _"
        raise ArgumentError.of("name", expected, repr(name), "Choose another name.")
    for part in parts:
        sync(part.path)
    with locks.store_locks(present.values()):
        place = _folder(present["memory"])
        places = published(dict(present))
        removal.sweep_published(places, removal.Removed())
        edition = 1 + max((_edition(each / f"{name}{manifests.SUFFIX}") for each in places), default=0)
        folder = f"{edition}-{secrets.token_hex(8)}"
        made = {_edition_folder(place, name, folder)}
        files: dict[str, list[dict[str, Any]]] = {"rows": [], "in": [], "out": []}
        for part in parts:
            store = next(root for root in present.values() if part.path.is_relative_to(root))
            into = _edition_folder(_folder(store), name, folder)
            os.link(part.path, into / part.path.name)
            made.add(into)
            of = {"rows": part.rows, "bytes": part.bytes, "crc32c": part.crc32c}
            files[part.role].append({"host": _HOST, "path": str(into / part.path.name), **of})
        for into in made:
            for each in (into, into.parent, into.parent.parent):
                sync(each)
        at = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        said = {"edition": edition, "folder": folder, "application": application, "at": at, "durable": None}
        manifest = {
            "version": manifests.VERSION,
            "name": name,
            "rows": sum(part.rows for part in parts if part.role == "rows"),
            "bytes": sum(part.bytes for part in parts if part.role == "rows"),
            "schema": [{"name": n, "type": kind, "nullable": nullable} for n, kind, nullable in columns],
            "segments": files["rows"],
            "published": said,
        }
        if graph is not None:
            manifest["graph"] = {**graph, "in": files["in"], "out": files["out"]}
        for tier in ("disk", "memory"):
            if tier in present:
                _write(_folder(present[tier]), name, manifest)
        removal.sweep_published(places, removal.Removed())
    return manifests.read_published(place / f"{name}{manifests.SUFFIX}")


def _folder(store: Path) -> Path:
    """Where a store has its published tables; nothing is written behind a link."""
    place = store / PUBLISHED
    place.mkdir(mode=0o700, exist_ok=True)
    if not is_real(place):
        raise ResourceError.of(f"store {place}", "a folder", "a link", "Do remove it.")
    return place


def _edition_folder(place: Path, name: str, folder: str) -> Path:
    found = place / name / folder
    found.parent.mkdir(mode=0o700, exist_ok=True)
    found.mkdir(mode=0o700, exist_ok=True)
    return found


def _edition(manifest: Path) -> int:
    """The number of the edition that is there, 0 where there is none."""
    try:
        said = manifests.read_published(manifest).published or {}
    except FileNotFoundError:
        return 0
    return int(said["edition"])


def _write(place: Path, name: str, manifest: Mapping[str, Any]) -> None:
    part, whole = place / f"{name}{manifests.SUFFIX}.part", place / f"{name}{manifests.SUFFIX}"
    part.unlink(missing_ok=True)
    with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600), "w") as file:
        json.dump(manifest, file)
        file.flush()
        os.fsync(file.fileno())
    part.rename(whole)
    sync(place)
