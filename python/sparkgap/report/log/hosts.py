# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What samplers beside executors sent to the driver (`sparkgap.profile.hosts`), by the driver's clock."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from .machine import Line
from .samples import Sample

_APART_MS = 100  # clocks that differ by less are not worth a word


class Batch(msgspec.Struct):
    """Lines of one executor's sampler: when they were sent, by the clock of its host, and when they came."""

    executor: str
    sent_ms: int
    received_ms: int
    lines: list[dict[str, Any]] = []


@dataclass
class FromHosts:
    """What samplers said of executors and of their hosts, in the words of those that run beside the driver."""

    samples: list[Sample] = field(default_factory=list)
    machine: list[Line] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    # Of each executor what its clock is behind the driver's.
    late_ms: dict[str, int] = field(default_factory=dict)


def read_hosts(path: Path) -> FromHosts:
    """All of it. A clock is as far off as the batch that was on its way for the least time says."""
    found, batches, broken = FromHosts(), [], 0
    decode = msgspec.json.Decoder(Batch).decode
    try:
        texts = path.read_bytes().splitlines()
    except OSError:
        return found
    for text in texts:
        try:
            batches.append(decode(text))
        except msgspec.MsgspecError:
            broken += 1
    for batch in batches:
        late = batch.received_ms - batch.sent_ms
        found.late_ms[batch.executor] = min(late, found.late_ms.get(batch.executor, late))
    for batch in batches:
        for line in batch.lines:
            try:
                _take(line, found.late_ms[batch.executor], found)
            except msgspec.ValidationError:
                broken += 1
    if broken:
        found.warnings.append(f"{broken} lines of samplers on other hosts are damaged and were passed over.")
    apart = {executor: ms for executor, ms in found.late_ms.items() if abs(ms) > _APART_MS}
    if apart:
        most = max(apart.values(), key=abs)
        found.warnings.append(
            f"The clocks of {len(apart)} executors differ from the driver's, by {abs(most) / 1e3:.1f} s at most; what "
            "they said is moved by that."
        )
    return found


def _take(line: dict[str, Any], late: int, found: FromHosts) -> None:
    if "counted" in line:
        counted = msgspec.convert(line, Line)
        counted.at_ms += late
        found.machine.append(counted)
        return
    sample = msgspec.convert(line, Sample)
    sample.from_ms += late
    sample.to_ms += late
    found.samples.append(sample)
