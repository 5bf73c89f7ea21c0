# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""A budget of memory for processes, with the files that they read, by a control group of version 1 or 2."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..errors import ResourceError
from ..profile.control_group import groups_around

_MOUNT = Path("/sys/fs/cgroup")
_OF_VERSION_1 = ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes")
_NAME = "sparkgap-lab"
_END_S = 10.0


@dataclass(frozen=True)
class Budget:
    """A group of this process's own, with a limit."""

    folder: Path
    is_unified: bool

    def enter(self) -> None:
        """This process and all that it starts from now on."""
        (self.folder / "cgroup.procs").write_text(str(os.getpid()), encoding="ascii")

    def peak_bytes(self) -> int | None:
        """The most that was in use at a time, page cache too; None where the kernel does not say."""
        name = "memory.peak" if self.is_unified else "memory.max_usage_in_bytes"
        try:
            return int((self.folder / name).read_text())
        except (OSError, ValueError):
            return None

    def kills(self) -> int:
        """How many processes the kernel has ended because the budget was used up."""
        name = "memory.events" if self.is_unified else "memory.oom_control"
        with contextlib.suppress(OSError, ValueError):
            for line in (self.folder / name).read_text().splitlines():
                if line.split()[:1] == ["oom_kill"]:
                    return int(line.split()[1])
        return 0


@contextlib.contextmanager
def budget(n_bytes: int) -> Iterator[Budget]:
    """A new group with that limit, and no swap; gone at the end, as soon as nothing is in it.

    Raises
    ------
    ResourceError
        This user may make none.
    """
    folder, is_unified = _made(n_bytes)
    try:
        yield Budget(folder, is_unified)
    finally:
        _remove(folder)


def why_no_budget() -> str | None:
    """Why this user can make no such group here; None where that works."""
    try:
        with budget(1 << 30):
            return None
    except ResourceError as e:
        return str(e).rstrip(".")


def _made(n_bytes: int) -> tuple[Path, bool]:
    """A group with the limit, and whether it is of version 2: below that of this process, or beside it, for a group of
    version 2 with processes in it can have none below it.
    """
    parents, is_unified = _parents()
    why = "none that this process is in"
    for parent in parents:
        _sweep(parent)
        folder = parent / f"{_NAME}-{os.getpid()}-{time.monotonic_ns()}"
        try:
            folder.mkdir()
            _limit(folder, n_bytes, is_unified)
            return folder, is_unified
        except OSError as e:
            why = e.strerror or str(e)
            with contextlib.suppress(OSError):
                folder.rmdir()
    raise ResourceError.of("budget", "a control group", why, "Run as root, or in a group that is yours.")


def _limit(folder: Path, n_bytes: int, is_unified: bool) -> None:
    names = ("memory.max", "memory.swap.max") if is_unified else _OF_VERSION_1
    (folder / names[0]).write_text(str(n_bytes), encoding="ascii")
    with contextlib.suppress(OSError):  # a kernel that does not count swap has no such file
        (folder / names[1]).write_text("0" if is_unified else str(n_bytes), encoding="ascii")


def _parents() -> tuple[list[Path], bool]:
    """Groups to make another one in, the nearest first, and whether they are of version 2 with memory."""
    controllers = _MOUNT / "cgroup.controllers"
    is_unified = controllers.exists() and "memory" in controllers.read_text(encoding="ascii").split()
    mount, controller = (_MOUNT, "") if is_unified else (_MOUNT / "memory", "memory")
    return groups_around(Path("/"), mount, controller), is_unified


def _sweep(parent: Path) -> None:
    """Groups of labs that were killed; one with processes in it stays."""
    for folder in parent.glob(f"{_NAME}-*"):
        if not Path(f"/proc/{folder.name.split('-')[2]}").exists():
            with contextlib.suppress(OSError):
                folder.rmdir()


def _remove(folder: Path) -> None:
    """Processes that are ending may be in it for a moment."""
    deadline = time.monotonic() + _END_S
    while True:
        try:
            folder.rmdir()
            return
        except FileNotFoundError:
            return
        except OSError:
            if time.monotonic() > deadline:
                return
            time.sleep(0.05)
