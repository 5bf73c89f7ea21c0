# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What the same work would take on other slots, or with perfect balance. All of it is inferred by replays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .parts import DRIVER_PARTS
from .replay import FACTORS, Observed
from .wall import Shares


@dataclass(frozen=True)
class WhatIf:
    """Milliseconds of the whole application. `error` is how far the replays are from what happened, as a share.

    `by_slots` is the wall time with half, once, twice, four times the slots; `balanced` where the work of each stage
    were spread evenly over its slots; `floor` with any number of slots: the longest task of each stage, and the driver.
    """

    by_slots: dict[float, float]
    balanced: float
    floor: float
    error: float


def what_if(shares: Shares, stages: Sequence[Observed]) -> WhatIf:
    """From the shares of the application and the replays of its stages.

    The time in which tasks run is scaled as the sum of the stages is; the rest of the time stays.
    """
    quiet = sum(shares.parts[part.key] for part in DRIVER_PARTS)
    running = shares.wall - quiet
    replayed = sum(stage.replayed for stage in stages)
    actual = sum(stage.actual for stage in stages)

    def scaled(milliseconds: float) -> float:
        return quiet + (running * milliseconds / replayed if replayed else running)

    by_slots = {factor: scaled(sum(stage.by_slots[factor] for stage in stages)) for factor in FACTORS}
    balanced = scaled(sum(stage.work / stage.slots for stage in stages))
    floor = scaled(sum(stage.longest for stage in stages))
    return WhatIf(by_slots, min(balanced, shares.wall), floor, abs(replayed - actual) / actual if actual else 0.0)
