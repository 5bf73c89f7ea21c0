# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The counters of a profile's host (`sparkgap.profile.machine`), as columns over time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np

from ..application import Application, Machine

# The names that a line may have, beside its time: what counts up, and what is a level.
COUNTERS = (
    "user_s", "system_s", "iowait_s", "steal_s", "disk_read", "disk_written", "received", "sent", "cpu_pressure_s",
    "io_pressure_s", "memory_pressure_s", "throttled_s",
)  # fmt: skip
LEVELS = ("memory", "available", "page_cache", "shared", "group_memory", "group_limit")


class Line(msgspec.Struct):
    at_ms: int
    host: str = ""
    cpus: int = 0
    counted: dict[str, float] = {}


def add_machine(app: Application, path: Path, sent: Sequence[Line] = ()) -> None:
    """Set `app.machines`: the host of the profile, and those whose samplers `sent` lines; each with two lines or more.
    A host that several samplers told of counts once.
    """
    decode = msgspec.json.Decoder(Line).decode
    lines, broken = [], 0
    try:
        texts = path.read_bytes().splitlines()
    except OSError:
        texts = []
    for text in texts:
        try:
            lines.append(decode(text))
        except msgspec.MsgspecError:
            broken += 1
    if broken:
        app.warnings.append(f"{broken} of {len(texts)} lines about the host are damaged and were passed over.")
    by_host: dict[str, list[Line]] = {}
    for line in [*lines, *sent]:
        by_host.setdefault(line.host, []).append(line)
    app.machines = [machine for each in by_host.values() if (machine := _machine(each)) is not None]


def _machine(lines: list[Line]) -> Machine | None:
    lines = sorted(lines, key=lambda line: line.at_ms)
    if len(lines) < 2:
        return None
    columns = {}
    for name in (*COUNTERS, *LEVELS):
        if all(name in line.counted for line in lines):
            values = np.array([line.counted[name] for line in lines], float)
            columns[name] = np.maximum.accumulate(values) if name in COUNTERS else values
    times = np.array([line.at_ms for line in lines], float)
    return Machine(lines[0].host, max(line.cpus for line in lines), times, columns)
