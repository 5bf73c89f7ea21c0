# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What the control group of this process has used of its limits, as in a container; versions 1 and 2."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path

_UNLIMITED = 1 << 60  # what version 1 says where there is no limit is near 2^63


@dataclass(frozen=True)
class ControlGroup:
    """The nearest groups that set a limit; None where none does."""

    memory: Path | None
    limit: int
    cpu: Path | None
    is_unified: bool

    @classmethod
    def find(cls, root: Path = Path("/")) -> ControlGroup:
        """Those of this process. `root` is another folder in tests."""
        mount = root / "sys/fs/cgroup"
        unified = (mount / "cgroup.controllers").exists()
        memory, limit, cpu = None, 0, None
        for group in groups_around(root, mount if unified else mount / "memory", "" if unified else "memory"):
            found = _number(group / ("memory.max" if unified else "memory.limit_in_bytes"))
            if memory is None and found is not None and 0 < found < _UNLIMITED:
                memory, limit = group, found
        for group in groups_around(root, mount if unified else mount / "cpu", "" if unified else "cpu"):
            quota = _number(group / ("cpu.max" if unified else "cpu.cfs_quota_us"))
            if cpu is None and quota is not None and quota > 0:
                cpu = group
        return cls(memory, limit, cpu, unified)

    def look(self) -> dict[str, float]:
        """Bytes in use, `group_memory`, page cache too, of `group_limit`; and seconds in which its threads were held
        back because it had used up its processors, `throttled_s`, since it began.
        """
        found: dict[str, float] = {}
        if self.memory is not None:
            used = _number(self.memory / ("memory.current" if self.is_unified else "memory.usage_in_bytes"))
            if used is not None:
                found |= {"group_memory": used, "group_limit": self.limit}
        if self.cpu is not None:
            name, unit = ("throttled_usec", 1e6) if self.is_unified else ("throttled_time", 1e9)
            with contextlib.suppress(OSError, ValueError, StopIteration):
                lines = (self.cpu / "cpu.stat").read_text().splitlines()
                found["throttled_s"] = next(int(line.split()[1]) for line in lines if line.split()[:1] == [name]) / unit
        return found


def free_memory(root: Path = Path("/")) -> int | None:
    """Bytes that all groups of this process together leave it; pages of files that stand on disk count as free. None
    where no group sets a limit.
    """
    mount = root / "sys/fs/cgroup"
    unified = (mount / "cgroup.controllers").exists()
    left = []
    for group in groups_around(root, mount if unified else mount / "memory", "" if unified else "memory"):
        limit = _number(group / ("memory.max" if unified else "memory.limit_in_bytes"))
        used = _number(group / ("memory.current" if unified else "memory.usage_in_bytes"))
        if limit is not None and used is not None and limit < _UNLIMITED:
            left.append(max(0, limit - max(0, used - _file_bytes(group / "memory.stat"))))
    return min(left, default=None)


def _file_bytes(statistics: Path) -> int:
    """Of files in memory (tmpfs) none. Version 1 tells of a group alone and, as total, with those below it."""
    with contextlib.suppress(OSError, ValueError):
        found = {key: int(value) for key, value in map(str.split, statistics.read_text().splitlines())}
        prefix = "total_" if "total_active_file" in found else ""
        return found[f"{prefix}active_file"] + found[f"{prefix}inactive_file"] if f"{prefix}active_file" in found else 0
    return 0


def groups_around(root: Path, mount: Path, controller: str) -> list[Path]:
    """The group of this process and those around it, the nearest first. In a container the first may not be there."""
    path = ""
    with contextlib.suppress(OSError):
        for line in (root / "proc/self/cgroup").read_text().splitlines():
            fields = line.split(":", 2)
            if len(fields) == 3 and controller in fields[1].split(","):
                path = fields[2].strip("/")
    own = mount / path if ".." not in path.split("/") else mount
    return [own, *(each for each in own.parents if each.is_relative_to(mount))]


def _number(file: Path) -> int | None:
    """The first number of a file; None where it says `max`, or is not there."""
    try:
        return int(file.read_text().split()[0])
    except (OSError, ValueError, IndexError):
        return None
