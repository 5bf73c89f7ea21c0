# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Random faults at random moments, one after the other, on one session: no hang, no leak, no wrong result."""

import random

from .faults import FAULTS
from .matrix import JOB_S
from .trial import TIMES, trial


def rounds(bench, count, seed, record):
    """That number of strikes; one that came too late is repeated. Each may hit whatever the job does just then; after
    a fault that the job survives comes the next one.
    """
    rng = random.Random(seed)
    for number in range(1, count + 1):
        fault, cached = rng.choice(FAULTS), rng.random() < 0.5
        bench.work.cache(cached)
        for _ in range(TIMES):
            delay = rng.uniform(0, 1.1 * bench.usual["native"])
            outcome = trial(bench.scene(choose=rng.choice), fault, bench.work, delay_s=delay, any_moment=True)
            if outcome.came != "missed" or outcome.problems:
                break
            if not fault.endless:
                bench.usual["native"] = bench.work.size("native", JOB_S["native"])
        outcome.round, outcome.delay, outcome.cached = number, delay, cached
        record("rounds", outcome, bench)
