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
from .places import NAME, PUBLISHED, Home, entries, homes
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
        with locks.store_lock(_publishing(present)), removed.going_on():
            _remove_published(table.name, present, removed)
    else:
        _refuse_if(table, any(home.is_alive() for home in table.homes))
        for home in table.homes:  # that of the manifest is the first
            with locks.store_lock(present[home.tier]), removed.going_on(), locks.taken(home.lock) as ours:
                _refuse_if(table, not ours and home.lock.exists())
                _remove_from(home, table, removed)
    return removed


def sweep(present: dict[str, Path]) -> Removed:
    """Remove the homes of the dead, editions older than the one before the current, and remains of cut-off
    publishes.
    """
    removed = Removed()
    for tier, root in present.items():
        with locks.store_lock(root):
            for home in homes({tier: root}):
                with removed.going_on(), locks.taken(home.lock) as ours:
                    if ours:
                        freed = _remove_below(home.path, but=home.lock) + _unlink(home.lock)
                        home.path.rmdir()
                        removed.add("home", home.path, freed)
    if present:
        with locks.store_lock(_publishing(present)):
            _sweep_published(present, removed)
    return removed


def _publishing(present: dict[str, Path]) -> Path:
    """The store whose lock publishers hold."""
    return next(iter(present.values()))


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
    freed = sum(_unlink(path) for path in inside if _is_real(path.parent))
    freed += sum(_remove_tree(folder) for folder in folders if _is_real(folder))
    removed.add(table.kind, home.path, freed)


def _remove_published(name: str, present: dict[str, Path], removed: Removed) -> None:
    places = [root / PUBLISHED for root in present.values() if _is_real(root / PUBLISHED)]
    for place in places:
        file = place / f"{name}{manifests.SUFFIX}"
        if os.path.lexists(file):
            removed.add("manifest", file, _unlink(file))
            _sync(place)  # or it would be back after a loss of power
    for folder in (place / name for place in places):
        if _is_real(folder):
            removed.add(PUBLISHED, folder, _remove_tree(folder))


def _sweep_published(present: dict[str, Path], removed: Removed) -> None:
    names = set()
    places = [root / PUBLISHED for root in present.values() if _is_real(root / PUBLISHED)]
    for place in places:
        for entry in entries(place):
            if entry.is_dir(follow_symlinks=False) and NAME.fullmatch(entry.name):
                names.add(entry.name)
            elif entry.name.endswith(f"{manifests.SUFFIX}.part") and entry.is_file(follow_symlinks=False):
                with removed.going_on():
                    removed.add("manifest", Path(entry.path), _unlink(Path(entry.path)))
    for name in sorted(names):
        with removed.going_on():
            _sweep_editions(name, places, removed)


def _sweep_editions(name: str, places: list[Path], removed: Removed) -> None:
    """Keeps the editions that the manifests name and those that the next one followed less than a minute ago; nothing
    is touched where a manifest cannot be read.
    """
    named = {}
    for place in places:
        with contextlib.suppress(FileNotFoundError):
            try:
                manifest = manifests.read(place / f"{name}{manifests.SUFFIX}")
            except DataError:
                return
            if manifest.published is None:
                return
            named[manifest.folder] = int(manifest.published["edition"])
    folders = [place / name for place in places if _is_real(place / name)]
    found = [
        (number, Path(e.path))
        for folder in folders
        for e in entries(folder)
        if (number := manifests.edition(e.name)) and e.is_dir(follow_symlinks=False)
    ]
    came: dict[int, float] = {}
    for number, path in found:
        came[number] = max(came.get(number, 0), path.lstat().st_mtime)
    now = time.time()
    for number, path in found:
        is_recent = number < max(named.values(), default=0) and now - came.get(number + 1, 0) < _KEPT_S
        if path.name not in named and not is_recent:
            removed.add("edition", path, _remove_tree(path))
    for folder in folders:
        if not any(entries(folder)):
            folder.rmdir()


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _is_real(folder: Path) -> bool:
    """Whether it is a folder, and neither it nor one above it is a link."""
    return folder.is_dir() and folder.resolve() == folder


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
