# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Sessions of MapReduce jobs that programs in a cluster have started: they outlive these, and must not outlive it."""

from __future__ import annotations

from pathlib import Path

from .. import processes
from .folder import Folder

_CLASS = "org.sparkgap.mapreduce.shared.SharedSession"
_END_S = 15.0


def end(folder: Folder) -> None:
    """End those on this host, and wait for it; what does not end is killed."""
    processes.end(lambda: _of(folder), _END_S)


def _of(folder: Folder) -> list[int]:
    """A session knows its cluster by the folder of Spark's configuration, which its client had."""
    own = f"SPARK_CONF_DIR={folder.conf}".encode()
    return [each.pid for each in processes.everyone() if _CLASS in each.command() and own in _variables(each.pid)]


def _variables(pid: int) -> list[bytes]:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return []
