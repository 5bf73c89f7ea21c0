# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Random faults at random moments, one after the other, on one session: no hang, no leak, no wrong result."""

import random

from .faults import FAULTS
from .matrix import JOB_S
from .trial import trial


def rounds(bench, count, seed, record):
    """So many trials. Each may strike whatever the job does just then, and a fault that a job has survived is followed by the next one."""
    rng = random.Random(seed)
    for number in range(1, count + 1):
        fault, cached = rng.choice(FAULTS), rng.random() < 0.5
        delay = rng.uniform(0, 1.1 * bench.usual["native"])
        bench.work.cache(cached)
        outcome = trial(bench.scene(choose=rng.choice), fault, bench.work, delay_s=delay, any_moment=True)
        outcome.round, outcome.delay, outcome.cached = number, delay, cached
        if outcome.came == "missed" and not fault.endless:
            bench.usual["native"] = bench.work.size("native", JOB_S["native"])
        record("rounds", outcome, bench)
