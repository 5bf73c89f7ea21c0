# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What all processes of the machine used of its processors, and hypervisors took of them, between two moments."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

_TICK_S = 1.0 / os.sysconf("SC_CLK_TCK")
# Of the words of a line of /proc/stat: user, nice, system, irq, softirq, steal. Guests are in user.
_BUSY = (0, 1, 2, 5, 6, 7)


@dataclass(frozen=True)
class Used:
    """Seconds, and seconds of processors."""

    elapsed_s: float
    busy_s: float


@dataclass(frozen=True)
class Usage:
    """A moment."""

    at: float
    busy_s: float

    @classmethod
    def now(cls) -> Usage:
        """This one."""
        words = Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()[1:]
        return cls(time.monotonic(), sum(int(words[place]) for place in _BUSY) * _TICK_S)

    def until_now(self) -> Used:
        """Since then."""
        now = Usage.now()
        return Used(now.at - self.at, now.busy_s - self.busy_s)
