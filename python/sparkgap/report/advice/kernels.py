# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Advice to run on sparkgap's kernels what Spark's own libraries compute."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..page.words import percent, seconds
from .advice import Advice

if TYPE_CHECKING:
    from ..report import Report

LEAST_SHARE = 0.2
# Files of Spark's libraries, as names of stages have them, for which there is a native kernel.
_FILES = re.compile(
    r" at (PageRank|ConnectedComponents|StronglyConnectedComponents|LabelPropagation|TriangleCount|ShortestPaths|Pregel"
    r"|KMeans|LogisticRegression|LinearRegression|NaiveBayes|LDA|LDAOptimizer|GraphImpl|RDDLossFunction"
    r"|WeightedLeastSquares)\.scala:"
)


def offload(report: Report) -> Advice | None:
    """Spark's graph or learning library takes much of the time."""
    rows = [row for row in report.stages.to_pylist() if _FILES.search(row["name"] or "")]
    took = sum(row["wall_s"] for row in rows)
    if not rows or took < LEAST_SHARE * report.wall_s:
        return None
    files = sorted({found[1] for row in rows if (found := _FILES.search(row["name"]))})
    return Advice(
        "native_kernel",
        "A native kernel computes the same",
        f"{len(rows)} stages of {', '.join(files)} took {seconds(took)}, {percent(took / report.wall_s)} of the whole",
        min(took, report.wall_s),
        "bounded: all of these stages; what the kernel itself takes is not known here",
        "Run the job by python -m sparkgap.accelerate, or call the kernel.",
        {},
        tuple(row["stage"] for row in rows),
    )


RULES = (offload,)
