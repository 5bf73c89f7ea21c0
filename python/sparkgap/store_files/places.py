# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Where the stores of this host are, the homes in them, and whether they are the user's own."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .. import environment
from ..errors import ResourceError
from . import locks

NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,127}")
_HOME = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+(\.[0-9]+)?")
LOCK = "lock"
PUBLISHED = "published"


@dataclass(frozen=True)
class Stores:
    """The two stores of a host, as the user names them; either may be missing."""

    memory: Path
    disk: Path

    @classmethod
    def of(cls, memory: Path | None = None, disk: Path | None = None) -> Stores:
        """The defaults of Spark's settings where nothing is said."""
        return cls((memory or environment.store_dir()).absolute(), (disk or environment.disk_dir()).absolute())

    def present(self) -> dict[str, Path]:
        """The real folder of each tier that exists, `memory` first.

        Raises
        ------
        ResourceError
            It is no folder, another user's, or open to others.
        """
        found: dict[str, Path] = {}
        for tier, option, place in (("memory", "--store", self.memory), ("disk", "--disk-store", self.disk)):
            if os.path.lexists(place):
                check(option, place)
                real = place.resolve()
                if real not in found.values():
                    found[tier] = real
        return found


@dataclass(frozen=True, order=True)
class Home:
    """The folder of one process in a store."""

    path: Path
    tier: str

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def application(self) -> str:
        return self.name.partition(".")[0]

    @property
    def lock(self) -> Path:
        return self.path / LOCK

    def folders(self, table: str) -> list[Path]:
        """Where segments of a table, of its name today or before, lie: `<table>.<what no other folder has>`."""
        found = (Path(e.path) for e in entries(self.path / "segments") if e.is_dir(follow_symlinks=False))
        return [folder for folder in found if folder.name.rpartition(".")[0] == table]

    def is_alive(self) -> bool:
        """Whether its process lives."""
        return locks.is_held(self.lock)


def homes(present: dict[str, Path]) -> list[Home]:
    """Every folder that has the name of a home and a lock file, sorted; links are neither."""
    found = []
    for tier, root in present.items():
        for child in entries(root):
            lock = Path(child.path) / LOCK
            if (
                _HOME.fullmatch(child.name)
                and child.is_dir(follow_symlinks=False)
                and lock.is_file()
                and not lock.is_symlink()
            ):
                found.append(Home(Path(child.path), tier))
    return sorted(found)


def published(present: dict[str, Path]) -> list[Path]:
    """The folders of published tables, that in memory first. A link is none."""
    return [root / PUBLISHED for root in present.values() if is_real(root / PUBLISHED)]


def is_real(folder: Path) -> bool:
    """Whether it is a folder, and neither it nor one above it is a link."""
    return folder.is_dir() and folder.resolve() == folder


def sync(path: Path) -> None:
    """Makes a file, or the names in a folder, outlast a loss of power."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def file_name(application: str) -> str:
    """An application's id as it stands in the names of its homes.

    Examples
    --------
    >>> file_name("app.1/x-2")
    'app_1_x-2'
    """
    return re.sub(r"[^A-Za-z0-9_-]", "_", application) or "_"


def entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    """What a folder holds, sorted by name; nothing where it is gone or no folder."""
    try:
        with os.scandir(folder) as children:
            found = sorted(children, key=lambda child: child.name)
    except (FileNotFoundError, NotADirectoryError):
        return
    yield from found


def check(option: str, place: Path) -> None:
    """Another user may have made a store in a folder that all may write to, such as /dev/shm.

    Raises
    ------
    ResourceError
        It is no folder, another user's, or open to others.
    """
    where, choose = f"{option} {place}", f"Do choose another folder with {option}."
    me = os.geteuid()
    try:
        link = place.lstat()
        info = place.stat()
    except FileNotFoundError:
        raise ResourceError.of(where, "a folder", "a link to nothing", choose) from None
    except OSError as e:
        raise ResourceError.of(where, "a folder that can be read", str(e.strerror), choose) from None
    if not stat.S_ISDIR(info.st_mode):
        raise ResourceError.of(where, "a folder", "something else", choose)
    if info.st_uid != me or link.st_uid not in (me, 0):
        other = info.st_uid if info.st_uid != me else link.st_uid
        raise ResourceError.of(where, f"a folder of user {me}", f"one of user {other}", choose)
    if info.st_mode & 0o777 != 0o700:
        found = stat.filemode(info.st_mode)[1:]
        raise ResourceError.of(
            where, "mode rwx------", f"mode {found}", f"Do chmod 700 {place} or choose another folder."
        )
