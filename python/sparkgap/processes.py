# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The processes below one of ours, from /proc: who they are, what CPU time they took, and their end."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_TICK_S = 1.0 / os.sysconf("SC_CLK_TCK")
_FIRST_LOOK_S, _LAST_LOOK_S = 0.002, 0.05
_KILLED_S = 10.0


@dataclass(frozen=True)
class Process:
    """One process; `cpu_s` is its own user + system time and that of its children that ended and were waited for, and
    `begun` tells it from a later one that was given the same number.
    """

    pid: int
    parent: int
    name: str
    state: str
    cpu_s: float
    session: int
    begun: int

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


def tree(root: int | None = None, among: list[Process] | None = None) -> list[Process]:
    """`root` (this process by default) and everything below it, `among` all or those given, zombies left out.

    Examples
    --------
    >>> tree()[0].pid == os.getpid()
    True
    """
    root = os.getpid() if root is None else root
    children: dict[int, list[Process]] = {}
    everybody = {p.pid: p for p in (everyone() if among is None else among)}
    for process in everybody.values():
        children.setdefault(process.parent, []).append(process)
    queue = [everybody[root]] if root in everybody else []
    found = []
    while queue:
        process = queue.pop(0)
        found.append(process)
        queue += children.get(process.pid, [])
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


def of_session(leader: int) -> list[int]:
    """The processes of the session that `leader` has begun, zombies left out."""
    return [process.pid for process in everyone() if process.session == leader and process.state != "Z"]


def below(root: int) -> Callable[[], list[int]]:
    """Finds `root` and everything below it, zombies left out, and what was there at an earlier look: a process outlives
    the one that has started it.
    """
    known = {(process.pid, process.begun) for process in tree(root)}
    first = {each for each in known if each[0] == root}

    def find() -> list[int]:
        now = everyone()
        if any((process.pid, process.begun) in first for process in now):
            known.update((process.pid, process.begun) for process in tree(root, now))
        return [p.pid for p in now if (p.pid, p.begun) in known and p.state != "Z"]

    return find


def end(find: Callable[[], list[int]], grace_s: float) -> list[int]:
    """Ask processes to end, and kill those that have not after `grace_s` seconds.

    Parameters
    ----------
    find : callable
        The numbers of those that are left, in the order of their signals; called again and again until there is none.
    grace_s : float
        0 kills at once.

    Returns
    -------
    list of int
        Those that are there ten seconds after SIGKILL, as one that waits for a dead disk is; otherwise none.
    """
    asked: set[int] = set()
    look, kill = _FIRST_LOOK_S, time.monotonic() + grace_s
    while found := find():
        now = time.monotonic()
        if now > kill + _KILLED_S:
            return found
        for pid in found:
            if now >= kill or pid not in asked:
                asked.add(pid)
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL if now >= kill else signal.SIGTERM)
        time.sleep(look)
        look = min(2 * look, _LAST_LOOK_S)
    return []


def _read(pid: int) -> Process | None:
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    name, _, rest = text.partition("(")[2].rpartition(") ")  # the name may hold blanks and brackets
    words = rest.split()
    # After the name: state, ppid, ... utime stime cutime cstime are words 11 to 14.
    cpu = sum(map(int, words[11:15])) * _TICK_S
    return Process(pid, int(words[1]), name, words[0], cpu, session=int(words[3]), begun=int(words[19]))
