# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Advice to run on sparkgap's kernels what Spark's own libraries compute."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..page.words import percent, seconds
from .advice import Advice, Expected
from .kernel_cost import FILES, SHARED_FILES, cost

if TYPE_CHECKING:
    from ..report import Report

LEAST_SHARE = 0.1
# Where stages of Spark's libraries, for which there is a native kernel, were asked for.
_PLACE = re.compile(rf" at ({'|'.join((*FILES, *SHARED_FILES))})\.scala:")


def offload(report: Report) -> Advice | None:
    """Spark's graph or learning library takes much of the time."""
    rows = list(_files(report))
    files = sorted({file for _, file in rows if file not in SHARED_FILES})
    took = sum(row["wall_s"] for row, _ in rows)
    if not files or took < LEAST_SHARE * report.wall_s:
        return None
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


def _files(report: Report) -> Iterator[tuple[dict[str, Any], str]]:
    """Stages of a library, each with its file: by the stage's own name, or by that of its SQL execution."""
    app = report.application
    executions = {each.id: each.description for each in app.executions}
    asked = {job.id: executions.get(job.execution, "") for job in app.jobs if job.execution is not None}
    for row in report.stages.to_pylist():
        found = _PLACE.search(row["name"] or "") or _PLACE.search(asked.get(row["job"], ""))
        if found is not None:
            yield row, found[1]


RULES = (offload,)
