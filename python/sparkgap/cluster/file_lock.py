# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""A lock on a file that several nodes may see; the kernel frees it however its process ends."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path

_POLL_S = 0.1


@contextlib.contextmanager
def locked(file: Path, wait_s: float = 0.0) -> Iterator[None]:
    """For as long as the block runs. On a file system that has no locks nothing is locked.

    Raises
    ------
    BlockingIOError
        Another process holds it for longer than `wait_s`.
    OSError
        The file cannot be made.
    """
    lock = os.open(file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        deadline = time.monotonic() + wait_s
        while not _taken(lock):
            if time.monotonic() >= deadline:
                raise BlockingIOError(None, "locked by another process", str(file))
            time.sleep(_POLL_S)
        yield
    finally:
        os.close(lock)


def _taken(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        pass
    return True
