# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The files in /dev/shm that killed ranks leave, where MPI gives them random names."""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
import time
from pathlib import Path

_PLACE = Path("/dev/shm")
_PATTERNS = ("mpich_shm_*", "ucx_shm_posix_*")
_F_SETSIG = 10
_SIGURG = 23  # ignored by default; the signal of leases, SIGIO, would end the process
_DYING_S = 1.0
_PAUSE_S = 0.005


def remove_left(since: float) -> None:
    """Removes those of this user that were made since then and that no process has open or mapped.

    A killed process may keep its files mapped for a moment longer, so it tries for a second.

    Parameters
    ----------
    since : float
        Seconds since 1970.
    """
    end = time.monotonic() + _DYING_S
    while left(since) and time.monotonic() < end:
        for file in left(since):
            with contextlib.suppress(OSError):
                if _is_nobodys(file):
                    file.unlink()
        time.sleep(_PAUSE_S)


def left(since: float) -> list[Path]:
    """This user's files that MPI has made since then, in use or not."""
    found = []
    for pattern in _PATTERNS:
        for file in _PLACE.glob(pattern):
            with contextlib.suppress(OSError):
                info = file.lstat()
                if stat.S_ISREG(info.st_mode) and info.st_uid == os.geteuid() and info.st_ctime >= since:
                    found.append(file)
    return found


def _is_nobodys(file: Path) -> bool:
    """The kernel grants a write lease only on a file that no other process has open or mapped, in any container."""
    handle = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.fcntl(handle, _F_SETSIG, _SIGURG)
        fcntl.fcntl(handle, fcntl.F_SETLEASE, fcntl.F_WRLCK)
        return True
    except OSError:
        return False
    finally:
        os.close(handle)
