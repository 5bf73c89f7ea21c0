# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The home of this process in the store: a locked folder for jobs and what they read and write (store/FORMAT.md).

The kernel frees the lock however the process ends, and whoever makes a home next removes those of the dead.
"""

from __future__ import annotations

import atexit
import contextlib
import itertools
import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

from .. import environment
from ..errors import ResourceError
from ..store_files import locks, places, removal

_guard = threading.Lock()
_homes: dict[tuple[int, Path], Home] = {}


class Home:
    """One process's folder in one store."""

    def __init__(self, store: Path) -> None:
        self.store = store
        self._numbers = itertools.count(1)
        with locks.store_locks([store]):
            self.path = self._free(f"python_{os.getpid()}.local")
            self.path.mkdir(mode=0o700)
            locks.keep(self.path / places.LOCK)
            for name in ("jobs", "segments"):
                (self.path / name).mkdir(mode=0o700)

    def number(self) -> int:
        """Of a job or of its segments, never given twice."""
        return next(self._numbers)

    def close(self) -> None:
        """Removes the home. A fork of the process that made it leaves it to that one."""
        with locks.store_locks([self.store]):
            for name in ("jobs", "segments"):
                shutil.rmtree(self.path / name, ignore_errors=True)
            locks.let_go(self.path / places.LOCK)
            shutil.rmtree(self.path, ignore_errors=True)

    def _free(self, name: str) -> Path:
        candidates = (self.store / (name + (f".{n}" if n else "")) for n in itertools.count())
        return next(path for path in candidates if not os.path.lexists(path))


def home(store: Path | None = None) -> Home:
    """The home of this process in that store, by default the one that Spark's setting has; made at the first call.

    Raises
    ------
    ResourceError
        The store cannot be made, is another user's, or is open to others.
    """
    place = (store or environment.store_dir()).absolute()
    with _guard:
        known = (os.getpid(), place)
        if known not in _homes:
            if not _homes:
                atexit.register(_close_all)
            _homes[known] = Home(_made(place))
        return _homes[known]


@contextlib.contextmanager
def passing(store: Path) -> Iterator[Home]:
    """A home for as long as the block runs, in a store that is made where it is missing. Errors: as `home`."""
    made = Home(_made(store.absolute()))
    try:
        yield made
    finally:
        made.close()


def _made(place: Path) -> Path:
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as e:
        found = e.strerror or str(e)
        raise ResourceError.of(f"store {place}", "a folder that can be made", found, "Do choose another one.") from None
    places.check("store", place)
    real = place.resolve()
    removal.sweep({"memory": real})
    return real


def _close_all() -> None:
    for (process, _), made in list(_homes.items()):
        if process == os.getpid():
            made.close()
