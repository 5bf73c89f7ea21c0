# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The fcntl locks of homes and stores.

They belong to the process, and closing any descriptor of a file gives up this process's own lock on it. So a file must
not be looked at by `is_held` while `taken` or `store_locks` holds it; those that `keep` holds are known here, and never
opened again.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import struct
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from ..errors import ResourceError

DEADLINE_S = 30.0
_PAUSE_S = 0.005
_FLOCK = struct.Struct("hhqqi4x")  # struct flock on 64-bit Linux: type, whence, start, length, process

_kept: dict[Path, int] = {}


def keep(lock: Path) -> None:
    """Makes the lock file of a home, and holds it until `let_go` or the end of this process."""
    file = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    _kept[lock] = file


def let_go(lock: Path) -> None:
    """Gives up what `keep` holds."""
    os.close(_kept.pop(lock))


def is_held(lock: Path) -> bool:
    """Whether a process holds it; False where there is no such file.

    Asks without taking: a lock that was taken to try it, if only for a moment, would stand in the way of its owner.
    """
    if lock in _kept:
        return True
    try:
        file = os.open(lock, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        answer = fcntl.fcntl(file, fcntl.F_GETLK, _FLOCK.pack(fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0))
    finally:
        os.close(file)
    return bool(_FLOCK.unpack(answer)[0] != fcntl.F_UNLCK)


@contextlib.contextmanager
def taken(lock: Path) -> Iterator[bool]:
    """Takes the lock of a home for as long as the block runs; False where a process has it or it is gone."""
    if lock in _kept:
        yield False
        return
    try:
        file = os.open(lock, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        yield False
        return
    try:
        yield _try(file)
    finally:
        os.close(file)


@contextlib.contextmanager
def store_locks(stores: Iterable[Path]) -> Iterator[None]:
    """Holds the locks of stores, which come in the order memory, disk: nobody makes or sweeps a home, or publishes,
    meanwhile.

    Raises
    ------
    ResourceError
        Another process had one for 30 s.
    """
    end = time.monotonic() + DEADLINE_S
    with contextlib.ExitStack() as held:
        for store in stores:
            file = os.open(store / ".lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            held.callback(os.close, file)
            while not _try(file):
                if time.monotonic() > end:
                    raise ResourceError.of(
                        f"store {store}",
                        f"its .lock within {DEADLINE_S:g} s",
                        "it held by another process",
                        "Try again when that is done.",
                    )
                time.sleep(_PAUSE_S)
        yield


def _try(file: int) -> bool:
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True
