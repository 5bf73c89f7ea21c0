# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Sessions of MapReduce jobs that programs in a cluster have started: they outlive these, and must not outlive it."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from pathlib import Path

from .. import processes
from .folder import Folder

_CLASS = "org.sparkgap.mapreduce.shared.SharedSession"
_END_S, _POLL_S = 15.0, 0.1


def end(folder: Folder) -> None:
    """End those on this host, and wait for it; what does not end is killed."""
    deadline = time.monotonic() + _END_S
    number = signal.SIGTERM
    while found := _of(folder):
        for pid in found:
            with contextlib.suppress(OSError):
                os.kill(pid, number)
        if number == signal.SIGKILL:
            return
        while time.monotonic() < deadline and any(map(processes.command, found)):
            time.sleep(_POLL_S)
        number = signal.SIGKILL


def _of(folder: Folder) -> list[int]:
    """A session knows its cluster by the folder of Spark's configuration, which its client had."""
    own = f"SPARK_CONF_DIR={folder.conf}".encode()
    return [each.pid for each in processes.everyone() if _CLASS in each.command() and own in _variables(each.pid)]


def _variables(pid: int) -> list[bytes]:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return []
