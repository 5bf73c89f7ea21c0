# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What this host counts of itself, from `/proc`: processors, memory, disks, network, and pressure (PSI)."""

from __future__ import annotations

import contextlib
import functools
import os
from pathlib import Path

from .control_group import ControlGroup

_TICKS = os.sysconf("SC_CLK_TCK")
_SECTOR = 512  # bytes of a sector in /proc/diskstats, whatever the disk's own are
_KB = 1024
_US = 1e6
_PRESSURES = ("cpu", "io", "memory")


def look() -> dict[str, float]:
    """The counters now; what this host does not tell is left out.

    Seconds of all processors since the start, `user_s`, `system_s`, `iowait_s`, `steal_s`; bytes of memory, `memory`,
    `available`, `page_cache`, `shared` (shared memory and tmpfs, where the store lies); bytes moved since the start,
    `disk_read`, `disk_written`, `received`, `sent` (not over the loopback); and seconds in which some process waited
    for a resource, `cpu_pressure_s`, `io_pressure_s`, `memory_pressure_s`. Where a control group limits this process,
    as in a container, also what `ControlGroup.look` has.
    """
    found: dict[str, float] = {}
    for read in (_processors, _memory, _disks, _network, _pressures, _control_group().look):
        with contextlib.suppress(OSError, ValueError, IndexError, KeyError):
            found |= read()
    return found


def _processors() -> dict[str, float]:
    user, nice, system, _, iowait, irq, softirq, steal = map(int, _text("/proc/stat").split()[1:9])
    ticks = {"user_s": user + nice, "system_s": system + irq + softirq, "iowait_s": iowait, "steal_s": steal}
    return {name: value / _TICKS for name, value in ticks.items()}


def _memory() -> dict[str, float]:
    lines = (line.partition(":") for line in _text("/proc/meminfo").splitlines())
    kilobytes = {name: int(rest.split()[0]) for name, _, rest in lines}
    shared = kilobytes["Shmem"]
    cached = max(0, kilobytes["Cached"] + kilobytes["Buffers"] - shared)
    total, available = kilobytes["MemTotal"], kilobytes["MemAvailable"]
    named = {"memory": total, "available": available, "page_cache": cached, "shared": shared}
    return {name: value * _KB for name, value in named.items()}


def _disks() -> dict[str, float]:
    """Whole disks: neither their parts, nor what is made of disks, is counted twice."""
    read = written = 0
    for line in _text("/proc/diskstats").splitlines():
        fields = line.split()
        if _is_disk(fields[2]):
            read, written = read + int(fields[5]), written + int(fields[9])
    return {"disk_read": read * _SECTOR, "disk_written": written * _SECTOR}


@functools.cache
def _is_disk(name: str) -> bool:
    return Path(f"/sys/block/{name}/device").exists()


def _network() -> dict[str, float]:
    received = sent = 0
    for line in _text("/proc/net/dev").splitlines()[2:]:
        name, _, rest = line.partition(":")
        fields = rest.split()
        if name.strip() != "lo":
            received, sent = received + int(fields[0]), sent + int(fields[8])
    return {"received": received, "sent": sent}


def _pressures() -> dict[str, float]:
    found = {}
    for name in _PRESSURES:
        with contextlib.suppress(OSError):
            some = _text(f"/proc/pressure/{name}").splitlines()[0]
            found[f"{name}_pressure_s"] = int(some.rpartition("total=")[2]) / _US
    return found


@functools.cache
def _control_group() -> ControlGroup:
    return ControlGroup.find()


def _text(path: str) -> str:
    with open(path) as file:
        return file.read()
