# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The tables of a host's stores: of applications, cached, and published."""

from __future__ import annotations

import datetime
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import ArgumentError, DataError
from . import manifests
from .places import NAME, PUBLISHED, Home, entries, file_name, homes, is_real, published

CACHE = "cache-"
_NAMES_SHOWN = 10


@dataclass(frozen=True)
class File:
    """A file under one of its names. A link to the disk tier is what it leads to."""

    path: Path
    real: Path
    tier: str
    bytes: int
    inode: tuple[int, int]
    modified: float


@dataclass
class Table:
    """A table, with the homes that hold it (none for a published one) and those of its files that exist."""

    name: str
    kind: str
    application: str
    homes: list[Home]
    alive: bool
    manifest: manifests.Manifest | None = None
    manifest_files: list[Path] = field(default_factory=list)
    files: list[File] = field(default_factory=list)
    segments: int = 0
    modified: float = 0.0
    damage: str | None = None

    @property
    def label(self) -> str:
        """The name that finds it."""
        return f"published.{self.name}" if self.kind == PUBLISHED else self.name

    @property
    def home(self) -> str | None:
        """The name of the home that its manifest, or its first segment, lies in."""
        return self.homes[0].name if self.homes else None

    def row(self) -> dict[str, Any]:
        """The table in one line, for machines."""
        return {
            "name": self.name,
            "kind": self.kind,
            "application": self.application,
            "home": self.home,
            "alive": self.alive,
            "rows": self.manifest.rows if self.manifest else None,
            "memory_bytes": occupied(self.files, "memory"),
            "disk_bytes": occupied(self.files, "disk"),
            "segments": self.segments,
            "modified": utc(self.modified),
            "damage": self.damage,
        }


def scan(present: dict[str, Path]) -> list[Table]:
    """Every table of the stores, those of applications first."""
    found = homes(present)
    alive = {home for home in found if home.is_alive()}
    tables = [t for home in found for t in _of_home(home, found, alive, present)]
    return [*tables, *_caches(found, alive, present), *_published(found, alive, present)]


def find(tables: list[Table], name: str) -> Table:
    """The table of that name. A plain name is the published table's where there is one; HOME/NAME is that of a home.

    Raises
    ------
    ArgumentError
        There is none, or more than one.
    """
    home, _, plain = name.rpartition("/")
    if not home:
        plain = plain.removeprefix("sparkgap.").removeprefix("store.")
    if plain.startswith("published."):
        matches = [t for t in tables if t.label == plain]
    else:
        matches = [t for t in tables if t.name == plain and (not home or home in {h.name for h in t.homes})]
        matches = [t for t in matches if t.kind == PUBLISHED and not home] or matches
        if not matches and plain.startswith(CACHE):
            matches = [t for t in tables if t.kind == "cache" and t.name.startswith(plain)]
    if len(matches) == 1:
        return matches[0]
    if matches:
        names = _names(t.name if t.kind == "cache" else f"{t.home}/{t.name}" for t in matches)
        raise ArgumentError.of(f"table '{name}'", "a name of one table", f"{len(matches)}", f"Do say which: {names}.")
    names = _names(t.label for t in tables)
    raise ArgumentError.of(
        f"table '{name}'",
        f"one of {names}" if tables else "a table of the store",
        "none of that name" if tables else "an empty store",
        "Do look with sparkgap store ls.",
    )


def file_at(path: Path, present: dict[str, Path]) -> File | None:
    """The file of that name, or None where it, or what it links to, is gone."""
    try:
        info = path.stat()
    except OSError:
        return None
    if not stat.S_ISREG(info.st_mode):
        return None
    real = path.resolve()
    tier = "memory" if "memory" in present and real.is_relative_to(present["memory"]) else "disk"
    return File(path, real, tier, info.st_size, (info.st_dev, info.st_ino), info.st_mtime)


def files_below(folder: Path, present: dict[str, Path], suffix: str = "") -> Iterator[File]:
    """The files of a folder and of those in it, links to folders not followed."""
    for entry in entries(folder):
        if entry.is_dir(follow_symlinks=False):
            yield from files_below(Path(entry.path), present, suffix)
        elif entry.name.endswith(suffix):
            found = file_at(Path(entry.path), present)
            if found is not None:
                yield found


def occupied(files: Iterable[File], tier: str) -> int:
    """Bytes of a tier, a file with several names counted once."""
    return sum({f.inode: f.bytes for f in files if f.tier == tier}.values())


def everything(present: dict[str, Path]) -> list[File]:
    """All files of all homes and publications: also those of results that are being written, which are no tables
    yet.
    """
    places = [home.path for home in homes(present)] + published(present)
    return [f for place in places for f in files_below(place, present)]


def utc(seconds: float) -> str:
    """A file's time as text.

    Examples
    --------
    >>> utc(0)
    '1970-01-01T00:00:00Z'
    """
    return datetime.datetime.fromtimestamp(int(seconds), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def _of_home(home: Home, all_homes: list[Home], alive: set[Home], present: dict[str, Path]) -> Iterator[Table]:
    for file in _manifest_files(home.path / "tables"):
        name = file.name.removesuffix(manifests.SUFFIX)
        manifest, damage = _read(file)
        if manifest is None and damage is None:
            continue
        table = Table(name, "table", home.application, [home], home in alive, manifest, [file], damage=damage)
        if manifest is not None:
            table.kind = "graph" if manifest.is_graph else "table"
            table.segments = len(manifest.segments)
            table.files = [f for s in manifest.segments if (f := file_at(s.path, present)) is not None]
        else:
            same = [h for h in all_homes if h.name == home.name]
            table.files = [
                f for h in same for folder in h.folders(name) for f in files_below(folder, present, ".arrow")
            ]
            table.segments = len(table.files)
        holders = [h for h in all_homes if any(h.path in (*f.path.parents, *f.real.parents) for f in table.files)]
        table.homes += [h for h in holders if h != home]
        table.alive = not alive.isdisjoint(table.homes)
        table.modified = _modified(file)
        yield table


def _caches(all_homes: list[Home], alive: set[Home], present: dict[str, Path]) -> list[Table]:
    by_name: dict[str, Table] = {}
    for home in all_homes:
        for entry in entries(home.path / "segments"):
            if not (entry.name.startswith(CACHE) and "." not in entry.name and entry.is_dir(follow_symlinks=False)):
                continue
            table = by_name.setdefault(entry.name, Table(entry.name, "cache", home.application, [], False))
            table.homes.append(home)
            table.alive |= home in alive
            table.files += files_below(Path(entry.path), present, ".arrow")
            table.modified = max(table.modified, _modified(Path(entry.path)))
    for table in by_name.values():
        table.segments = len({f.inode for f in table.files})
    return [by_name[name] for name in sorted(by_name)]


def _published(all_homes: list[Home], alive: set[Home], present: dict[str, Path]) -> Iterator[Table]:
    by_name: dict[str, list[Path]] = {}
    places = published(present)
    for file in (f for place in places for f in _manifest_files(place)):
        by_name.setdefault(file.name.removesuffix(manifests.SUFFIX), []).append(file)
    running = {h.application for h in all_homes if h in alive}
    for name, files in sorted(by_name.items()):
        manifest, damage = _read(files[0], manifests.read_published)
        if manifest is None and damage is None:
            continue
        said = (manifest and manifest.published) or {}
        application = str(said.get("application", ""))
        is_alive = file_name(application) in running
        table = Table(name, PUBLISHED, application, [], is_alive, manifest, files, damage=damage)
        table.files = [
            f for place in places if is_real(place / name) for f in files_below(place / name, present, ".arrow")
        ]
        table.segments = len(manifest.segments) if manifest else len(table.files)
        table.modified = _modified(files[0])
        yield table


def _manifest_files(folder: Path) -> list[Path]:
    found = (Path(e.path) for e in entries(folder) if not e.is_dir(follow_symlinks=False))
    return [f for f in found if f.suffix == manifests.SUFFIX and NAME.fullmatch(f.stem)]


def _read(
    file: Path, read: Callable[[Path], manifests.Manifest] = manifests.read
) -> tuple[manifests.Manifest | None, str | None]:
    """The manifest, or what is wrong with it; neither where it went meanwhile."""
    try:
        return read(file), None
    except FileNotFoundError:
        return None, None
    except DataError as e:
        return None, str(e)


def _modified(path: Path) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0


def _names(labels: Iterable[str]) -> str:
    names = sorted(set(labels))
    more = f" and {len(names) - _NAMES_SHOWN} more" if len(names) > _NAMES_SHOWN else ""
    return ", ".join(names[:_NAMES_SHOWN]) + more
