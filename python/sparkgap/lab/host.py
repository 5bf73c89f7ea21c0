# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The machine that a study runs on: what it can do, and what a reader of the results needs to know of it."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import subprocess
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from .. import environment
from .budget import why_no_budget

_CPUS = Path("/sys/devices/system/cpu")
_DROP = Path("/proc/sys/vm/drop_caches")
_JAVA_S = 60
_PACKAGES = ("pyspark", "pyarrow", "numpy", "mpich")


@dataclass
class Host:
    """`cpus` are those that this process may run on, the first hardware threads of one package's cores first."""

    cpus: list[int]
    first_of_cores: list[int]
    memory_bytes: int
    _taken: dict[str, bool] = field(default_factory=dict)

    @classmethod
    def here(cls) -> Host:
        """This one."""
        places = {cpu: _place(cpu) for cpu in os.sched_getaffinity(0)}
        seen: set[tuple[int, int]] = set()
        firsts = []
        for cpu in sorted(places):
            if places[cpu] not in seen:
                seen.add(places[cpu])
                firsts.append(cpu)
        order = sorted(places, key=lambda cpu: (places[cpu][0], cpu not in firsts, places[cpu][1], cpu))
        return cls(order, firsts, environment.memory_bytes())

    @cached_property
    def why_no_budget(self) -> str | None:
        """Why no control group can be made here."""
        return why_no_budget()

    @cached_property
    def why_no_cold(self) -> str | None:
        """Why the page cache cannot be emptied."""
        return None if os.access(_DROP, os.W_OK) else "this user may not empty the page cache"

    def forget_files(self) -> None:
        """Empty the page cache."""
        os.sync()
        _DROP.write_text("3\n", encoding="ascii")

    def java_takes(self, option: str) -> bool:
        """Whether its Java starts with an option."""
        if option not in self._taken:
            words = [environment.java(), option, "-version"]
            done = subprocess.run(words, capture_output=True, timeout=_JAVA_S)
            self._taken[option] = done.returncode == 0
        return self._taken[option]

    def describe(self) -> dict[str, Any]:
        """What a row says of it."""
        return {
            "processor": _processor(),
            "cpus": len(self.cpus),
            "cores": len(self.first_of_cores),
            "memory_bytes": self.memory_bytes,
            "kernel": platform.release(),
            "java": environment.java_version(),
            "python": platform.python_version(),
            "sparkgap": environment.own_version(),
            **{name: _version(name) for name in _PACKAGES},
        }


def _place(cpu: int) -> tuple[int, int]:
    """Its package and core."""
    try:
        topology = _CPUS / f"cpu{cpu}" / "topology"
        return int((topology / "physical_package_id").read_text()), int((topology / "core_id").read_text())
    except (OSError, ValueError):
        return 0, cpu


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None
