# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The curve, as a table and as lines of blocks, and what is wrong with it: a figure that only grows."""

import statistics

from rich.table import Table

from .sample import FIGURES

BLOCKS = " ▁▂▃▄▅▆▇█"
# How far the last quarter may lie above the second, as a share and as a number: what a JVM's compiler and Spark's
# caches take on their way to rest.
SLACK = {
    "driver_heap": (0.05, 6 << 20),
    "executor_heap": (0.05, 6 << 20),
    "driver_rss": (0.10, 32 << 20),
    "executor_rss": (0.10, 32 << 20),
    "driver_fds": (0, 12),
    "executor_fds": (0, 12),
    "driver_threads": (0, 8),
    "executor_threads": (0, 8),
    "files": (0.05, 12),
    "store_bytes": (0.05, 1 << 20),
    "message_bytes": (0.1, 300),
    "messages": (0.2, 4),
}


def quarters(samples, figure):
    """Medians of the second and of the last quarter."""
    n = len(samples)
    return tuple(
        statistics.median(s[figure] for s in part) for part in (samples[n // 4 : n // 2], samples[3 * n // 4 :])
    )


def judge(samples):
    """What is not bounded, as lines of text; none where all is."""
    wrong = []
    for figure, (share, more) in SLACK.items():
        second, last = quarters(samples, figure)
        if last > second * (1 + share) + more:
            wrong.append(
                f"{figure}: expected at most {shown(figure, second * (1 + share) + more)} in the last quarter, as the"
                f" second had {shown(figure, second)}, found {shown(figure, last)}"
            )
    return wrong


def shown(figure, value):
    unit = FIGURES[figure]
    return f"{value / (1 << 20):.1f} MiB" if unit == "MiB" else f"{value:,.0f}{' ' + unit if unit else ''}"


def line(values):
    low, high = min(values), max(values)
    return "".join(BLOCKS[1 + round((v - low) / (high - low or 1) * (len(BLOCKS) - 2))] for v in values)


def table(samples):
    """For a terminal: least to most, the two quarters, and the curve between least and most."""
    last = samples[-1]
    made = Table(title=f"{last['calls']:,} calls, {last['caches']:,} caches, {len(samples)} samples after collections")
    for name in ("figure", "least", "most", "2nd quarter", "last quarter", "curve"):
        made.add_column(name, justify="left" if name in ("figure", "curve") else "right", no_wrap=True)
    for figure in FIGURES:
        values = [s[figure] for s in samples]
        made.add_row(
            figure, *(shown(figure, v) for v in (min(values), max(values), *quarters(samples, figure))), line(values)
        )
    return made
