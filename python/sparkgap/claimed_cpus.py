# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Which processors of this host executors and drivers have claimed for tasks and ranks
(spark.sparkgap.topology.affinity, spark.sparkgap.launch.affinity), asked of the kernel.
"""

from __future__ import annotations

import fcntl
import os
import re
import stat
import struct
from dataclasses import dataclass
from pathlib import Path

from .processes import command

_FILE = re.compile(r"cpu-(\d+)\.lock")
# struct flock of 64-bit Linux: type, whence, start, length, process.
_FLOCK = "hhqqi4x"
_EXECUTOR = re.compile(r"--executor-id (\S+)")
_APPLICATION = re.compile(r"--app-id (\S+)")


@dataclass(frozen=True)
class Holder:
    """The process that has claimed some processors; `pid` is 0 where it is in a container that this process does not
    see into.
    """

    pid: int
    cpus: tuple[int, ...]

    def __str__(self) -> str:
        words = command(self.pid) if self.pid > 0 else ""
        executor, application = _EXECUTOR.search(words), _APPLICATION.search(words)
        who = f"executor {executor.group(1)}" if executor else "driver" if words else "a process of another container"
        of = f" of {application.group(1)}" if application else ""
        return f"{','.join(map(str, self.cpus))}: {who}{of}{f' (process {self.pid})' if words else ''}"


def holders(folder: str | os.PathLike[str]) -> list[Holder]:
    """The processes that hold processors in a lock folder, by their first processor. Looking locks nothing.

    Parameters
    ----------
    folder : path
        `spark.sparkgap.topology.lockDir` of the executors.

    Returns
    -------
    list of Holder
        Empty where there is no such folder.

    Examples
    --------
    >>> holders("/no/such/folder")
    []
    """
    found: dict[int, list[int]] = {}
    for file in Path(folder).glob("cpu-*.lock"):
        named = _FILE.fullmatch(file.name)
        pid = _holder(file) if named else None
        if named and pid is not None:
            found.setdefault(pid, []).append(int(named.group(1)))
    return sorted((Holder(pid, tuple(sorted(cpus))) for pid, cpus in found.items()), key=lambda holder: holder.cpus)


def _holder(file: Path) -> int | None:
    """The process that has the file locked; None where none has, or it is a file that we may not ask about."""
    try:
        there = file.lstat()
        if (
            not stat.S_ISREG(there.st_mode) or there.st_nlink != 1
        ):  # under another name it may be a file that this process has locked, and closing it would undo that
            return None
        descriptor = os.open(file, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        asked = struct.pack(_FLOCK, fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
        kind, _, _, _, pid = struct.unpack(_FLOCK, fcntl.fcntl(descriptor, fcntl.F_GETLK, asked))
    except OSError:
        return None
    finally:
        os.close(descriptor)
    return None if kind == fcntl.F_UNLCK else max(pid, 0)
