# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Removes what nobody needs: published tables by name, tables of the dead, homes of the dead, old editions. Never
follows a link.
"""

from __future__ import annotations

import contextlib
import os
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import ArgumentError, DataError, ResourceError
from . import locks, manifests
from .places import NAME, PUBLISHED, Home, entries, homes, is_real, published, sync
from .tables import Table

_KEPT_S = 60  # a reader of the last edition's manifest may not have opened its segments yet


@dataclass
class Removed:
    """What went. A file that has another name still frees nothing."""

    items: list[dict[str, Any]] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    @property
    def freed_bytes(self) -> int:
        return sum(item["freed_bytes"] for item in self.items)

    def as_json(self) -> dict[str, Any]:
        """The same for machines."""
        return {"removed": self.items, "freed_bytes": self.freed_bytes, "failed": self.failures}

    def add(self, what: str, path: Path, freed_bytes: int) -> None:
        self.items.append({"what": what, "path": str(path), "freed_bytes": freed_bytes})

    @contextlib.contextmanager
    def going_on(self) -> Iterator[None]:
        """One thing that cannot be removed does not keep the others."""
        try:
            yield
        except OSError as e:
            self.failures.append(f"{e.filename}: {e.strerror}")

    def raise_if_failed(self) -> None:
        """Raise for the first thing that could not be removed.

        Raises
        ------
        ResourceError
            The system said no.
        """
        if self.failures:
            raise ResourceError.of("store", "files that can be removed", self.failures[0], "Check who owns them.")


def remove(table: Table, present: dict[str, Path]) -> Removed:
    """Remove a published table with all editions, or a table whose application has ended.

    Raises
    ------
    ArgumentError
        Its application lives.
    """
    removed = Removed()
    if table.kind == PUBLISHED:
        with locks.store_locks(present.values()), removed.going_on():
            _remove_published(table.name, published(present), removed)
    else:
        _refuse_if(table, any(home.is_alive() for home in table.homes))
        for home in table.homes:  # that of the manifest is the first
            with locks.store_locks([present[home.tier]]), removed.going_on(), locks.taken(home.lock) as ours:
                _refuse_if(table, not ours and home.lock.exists())
                _remove_from(home, table, removed)
    return removed


def sweep(present: dict[str, Path]) -> Removed:
    """Remove the homes of the dead, editions older than the one before the current, and remains of cut-off
    publishes.
    """
    removed = Removed()
    for tier, root in present.items():
        with locks.store_locks([root]):
            for home in homes({tier: root}):
                with removed.going_on(), locks.taken(home.lock) as ours:
                    if ours:
                        freed = _remove_below(home.path, but=home.lock) + _unlink(home.lock)
                        home.path.rmdir()
                        removed.add("home", home.path, freed)
    with locks.store_locks(present.values()):
        sweep_published(published(present), removed)
    return removed


def _refuse_if(table: Table, is_alive: bool) -> None:
    if is_alive:
        do = (
            f"Do {'unpersist() it' if table.kind == 'cache' else f'DROP TABLE sparkgap.store.{table.name}'} in that"
            " application."
        )
        raise ArgumentError.of(
            f"table '{table.name}'", "one whose application has ended", f"{table.application} alive", do
        )


def _remove_from(home: Home, table: Table, removed: Removed) -> None:
    """The manifest first, so no reader finds a table without its segments."""
    for file in table.manifest_files:
        if home.path in file.parents:
            removed.add("manifest", file, _unlink(file))
    folders = [home.path / "segments" / table.name] if table.kind == "cache" else home.folders(table.name)
    inside = {p for f in table.files for p in (f.path, f.real) if home.path in p.parents and p.parent not in folders}
    freed = sum(_unlink(path) for path in inside if is_real(path.parent))
    freed += sum(_remove_tree(folder) for folder in folders if is_real(folder))
    removed.add(table.kind, home.path, freed)


def _remove_published(name: str, places: list[Path], removed: Removed) -> None:
    for place in places:
        file = place / f"{name}{manifests.SUFFIX}"
        if os.path.lexists(file) and not is_real(file):
            removed.add("manifest", file, _unlink(file))
            sync(place)  # or it would be back after a loss of power
    editions = _old_editions(name, places, set())
    for folder in (place / name for place in places):
        freed = [_remove_tree(edition) for edition in editions if edition.parent == folder]
        _remove_if_empty(folder)
        if freed:
            removed.add(PUBLISHED, folder, sum(freed))


def sweep_published(places: list[Path], removed: Removed) -> None:
    """Remove old editions and what cut-off publishes left; the caller holds the locks of both stores."""
    part, names = f"{manifests.SUFFIX}.part", set()
    for entry in (e for place in places for e in entries(place)):
        if entry.is_dir(follow_symlinks=False) and NAME.fullmatch(entry.name):
            names.add(entry.name)
        elif (
            entry.name.endswith(part)
            and NAME.fullmatch(entry.name.removesuffix(part))
            and entry.is_file(follow_symlinks=False)
        ):
            with removed.going_on():
                removed.add("manifest", Path(entry.path), _unlink(Path(entry.path)))
    for name in sorted(names):
        with (
            removed.going_on(),
            contextlib.suppress(DataError),
        ):  # what cannot be read keeps its editions: its owner may want to mend it
            for edition in _old_editions(name, places, _named(name, places)):
                removed.add("edition", edition, _remove_tree(edition))
            for place in places:
                _remove_if_empty(place / name)


def _named(name: str, places: list[Path]) -> set[str]:
    """The folders that the manifests of a published table name."""
    named = set()
    for place in places:
        with contextlib.suppress(FileNotFoundError):
            named.add(manifests.read_published(place / f"{name}{manifests.SUFFIX}").folder or "")
    return named


def _old_editions(name: str, places: list[Path], named: set[str]) -> list[Path]:
    """All but those that the manifests name and those that the next one followed less than a minute ago."""
    folders = [place / name for place in places if is_real(place / name)]
    found = [
        (number, Path(e.path))
        for folder in folders
        for e in entries(folder)
        if (number := manifests.edition(e.name)) and e.is_dir(follow_symlinks=False)
    ]
    came: dict[int, float] = {}
    for number, path in found:
        came[number] = max(came.get(number, 0), path.lstat().st_mtime)
    last, now = max((manifests.edition(folder) or 0 for folder in named), default=0), time.time()
    return [
        path
        for number, path in found
        if path.name not in named and not (number < last and now - came.get(number + 1, 0) < _KEPT_S)
    ]


def _remove_if_empty(folder: Path) -> None:
    if is_real(folder) and not any(entries(folder)):
        folder.rmdir()


def _remove_tree(folder: Path) -> int:
    freed = _remove_below(folder)
    folder.rmdir()
    return freed


def _remove_below(folder: Path, but: Path | None = None) -> int:
    """Everything in a folder except one file; the bytes that are free now. A link goes, not what it leads to."""
    freed = 0
    for entry in entries(folder):
        path = Path(entry.path)
        if entry.is_dir(follow_symlinks=False):
            freed += _remove_tree(path)
        elif path != but:
            freed += _unlink(path)
    return freed


def _unlink(path: Path) -> int:
    try:
        info = path.lstat()
        path.unlink()
    except FileNotFoundError:
        return 0
    return info.st_size if stat.S_ISREG(info.st_mode) and info.st_nlink == 1 else 0
