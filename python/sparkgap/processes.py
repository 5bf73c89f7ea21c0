# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The processes below one of ours, from /proc: who they are and what CPU time they took."""

from __future__ import annotations

import ctypes
import os
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_TICK_S = 1.0 / os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Process:
    """One process; `cpu_s` is its own user + system time and that of its children that ended and were waited for."""

    pid: int
    parent: int
    name: str
    state: str
    cpu_s: float

    def command(self) -> str:
        """Its command line, empty when it is gone."""
        return command(self.pid)


def command(pid: int) -> str:
    """The command line of a process, empty when it is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return ""


def everyone() -> list[Process]:
    """All processes that /proc shows now."""
    found = (_read(int(entry.name)) for entry in Path("/proc").iterdir() if entry.name.isdigit())
    return [process for process in found if process is not None]


def tree(root: int | None = None) -> list[Process]:
    """`root` (this process by default) and everything below it, zombies left out.

    Examples
    --------
    >>> tree()[0].pid == os.getpid()
    True
    """
    root = os.getpid() if root is None else root
    below: dict[int, list[Process]] = {}
    everybody = {p.pid: p for p in everyone()}
    for process in everybody.values():
        below.setdefault(process.parent, []).append(process)
    queue = [everybody[root]] if root in everybody else []
    found = []
    while queue:
        process = queue.pop(0)
        found.append(process)
        queue += below.get(process.pid, [])
    return [p for p in found if p.state != "Z"]


def cpu_s(root: int | None = None) -> float:
    """User + system seconds of the tree so far: the living, and the dead that their parents waited for."""
    return sum(process.cpu_s for process in tree(root))


def peak_rss_bytes(pid: int | None = None) -> int:
    """The most memory that one process held at a time, 0 when it is gone."""
    try:
        status = Path(f"/proc/{os.getpid() if pid is None else pid}/status").read_text(
            encoding="utf-8", errors="replace"
        )
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM:")), 0)


def end_with(parent: int) -> Callable[[], None]:
    """What makes a new process end when its parent does, whatever ended that. Before it there is one thread alone."""
    libc = ctypes.CDLL(None)

    def set_signal() -> None:
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:
            os._exit(1)

    return set_signal


def _read(pid: int) -> Process | None:
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    name, _, rest = text.partition("(")[2].rpartition(") ")  # the name may hold blanks and brackets
    words = rest.split()
    # After the name: state, ppid, ... utime stime cutime cstime are words 11 to 14.
    return Process(pid, int(words[1]), name, words[0], sum(map(int, words[11:15])) * _TICK_S)
