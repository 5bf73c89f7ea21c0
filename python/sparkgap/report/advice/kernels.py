# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Advice to run on sparkgap's kernels what Spark's own libraries compute."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..page.words import percent, seconds
from .advice import Advice, Expected
from .kernel_cost import FILES, cost

if TYPE_CHECKING:
    from ..report import Report

LEAST_SHARE = 0.2
# Names of stages of Spark's libraries, for which there is a native kernel.
_STAGE = re.compile(rf" at ({'|'.join(FILES)})\.scala:")


def offload(report: Report) -> Advice | None:
    """Spark's graph or learning library takes much of the time."""
    rows = [(row, found[1]) for row in report.stages.to_pylist() if (found := _STAGE.search(row["name"] or ""))]
    took = sum(row["wall_s"] for row, _ in rows)
    if not rows or took < LEAST_SHARE * report.wall_s:
        return None
    files = sorted({file for _, file in rows})
    kernel = cost(files, took)
    if kernel.expected >= took:
        return None
    return Advice(
        "native_kernel",
        "A native kernel computes the same",
        f"{len(rows)} stages of {', '.join(files)} took {seconds(took)}, {percent(took / report.wall_s)} of the whole;"
        f" the kernel is expected to take {seconds(kernel.expected)}",
        min(took - kernel.least, report.wall_s),
        f"inferred: a kernel's call takes {seconds(kernel.least)} to {seconds(kernel.most)} by the ratios of our"
        " benchmarks, on two processors; stages that run side by side count twice",
        "Run the job by python -m sparkgap.accelerate, or call the kernel.",
        {},
        tuple(row["stage"] for row, _ in rows),
        Expected(took - kernel.expected, took - kernel.most, took - kernel.least),
    )


RULES = (offload,)
