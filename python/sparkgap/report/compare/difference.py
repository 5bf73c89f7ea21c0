# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Whether two sets of measurements differ, by a bootstrap of the difference of their medians."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

FEWEST_RUNS = 3
_DRAWS = 4000
_SEED = 20170817
_COVERED = 0.95


class Verdict(Enum):
    """What the runs show of the first set beside the second."""

    LESS = "less"
    MORE = "more"
    NONE = "no difference shown"
    TOO_FEW = "too few runs"


@dataclass(frozen=True)
class Difference:
    """Medians, and the difference of the first set from the second with its interval of 95 %; without one where a set
    has fewer than three runs.
    """

    first: float
    second: float
    low: float | None
    high: float | None

    @property
    def difference(self) -> float:
        return self.first - self.second

    @property
    def verdict(self) -> Verdict:
        if self.low is None or self.high is None:
            return Verdict.TOO_FEW
        if self.high < 0:
            return Verdict.LESS
        return Verdict.MORE if self.low > 0 else Verdict.NONE


def differ(first: Sequence[float], second: Sequence[float]) -> Difference:
    """The difference of two sets of measurements.

    Runs are drawn anew from each set, with replacement, and the middle 95 % of the differences of medians is the
    interval (Efron's percentile bootstrap). The draws are the same each time. With a handful of runs intervals are
    rough, and cannot be narrower than the steps between runs.

    Examples
    --------
    >>> differ([1.0, 1.1, 1.2], [2.0, 2.1, 2.2]).verdict.value, differ([1.0], [2.0]).verdict.value
    ('less', 'too few runs')
    """
    a, b = np.asarray(first, float), np.asarray(second, float)
    medians = float(np.median(a)), float(np.median(b))
    if min(len(a), len(b)) < FEWEST_RUNS:
        return Difference(*medians, None, None)
    draw = np.random.default_rng(_SEED)
    drawn = [np.median(draw.choice(each, (_DRAWS, len(each))), axis=1) for each in (a, b)]
    edge = (1 - _COVERED) / 2
    low, high = np.quantile(drawn[0] - drawn[1], [edge, 1 - edge])
    return Difference(*medians, float(low), float(high))
