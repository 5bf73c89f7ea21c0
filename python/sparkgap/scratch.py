# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Private folders for files that only this process needs. What a process that was killed leaves there goes when the
next one asks for its own.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from .errors import ResourceError

_PREFIX = "sparkgap-scratch-"
_TRIES = 5


@contextlib.contextmanager
def scratch() -> Iterator[Path]:
    """A folder of mode 0700 in the system's temporary one, until the body ends.

    Its process holds a lock on the folder, which the kernel takes back however the process ends.

    Raises
    ------
    ResourceError
        Nothing can be locked there.

    Examples
    --------
    >>> with scratch() as folder:
    ...     folder.is_dir()
    True
    >>> folder.is_dir()
    False
    """
    _sweep()
    folder, lock = _locked()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def _locked() -> tuple[Path, int]:
    """A new folder and the descriptor that holds its lock."""
    for _ in range(_TRIES):
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
        lock = _lock(folder)
        if lock is not None:
            return folder, lock
        shutil.rmtree(
            folder, ignore_errors=True
        )  # a sweep found it before it had its lock, or nothing can be locked there
    raise ResourceError.of(
        "TMPDIR",
        "a folder where flock works",
        tempfile.gettempdir(),
        "Set TMPDIR to a folder on a disk of this machine.",
    )


def _lock(folder: Path) -> int | None:
    """Its lock, where it is a folder of ours that no process holds."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        seen = os.lstat(folder)
        if os.path.samestat(seen, os.fstat(descriptor)) and seen.st_uid == os.getuid() and stat.S_ISDIR(seen.st_mode):
            return descriptor
    except OSError:
        pass
    os.close(descriptor)
    return None


def _sweep() -> None:
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        lock = _lock(folder)
        if lock is not None:
            shutil.rmtree(folder, ignore_errors=True)
            os.close(lock)
