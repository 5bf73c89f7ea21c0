# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What a native kernel would take for work that Spark's own library did: a model of costs, and how far it may be off.

The model is a ratio: what Spark's library took in our benchmarks, over what the whole call of the kernel took, from a
DataFrame to a DataFrame. A log says how long the library took, and not how many edges or rows it had; the ratio needs
no more. It was measured on two processors, with room in memory for both.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import NamedTuple

CALL_S = (0.05, 0.15, 0.6)  # to start a call's ranks: on one host with a warm JVM, the first of a JVM, on several hosts
# Other data than the benchmarks' has other ratios; those of `make bench-kernel-costs` stay within it.
MARGIN = 2.5
_GRAPHX = {"PageRank": (23.6, 41.2), "ConnectedComponents": (51.9,), "ShortestPaths": (26.7,),
           "LabelPropagation": (111.4,)}  # fmt: skip
_MLLIB = {"KMeans": (29.6, 26.3), "LogisticRegression": (12.0,), "LinearRegression": (12.2,), "NaiveBayes": (4.5,),
          "LDA": (199.6, 12.1)}  # fmt: skip
# Files that several algorithms run are known by the library alone.
_GRAPHX_FILES = ("GraphImpl", "Pregel", "StronglyConnectedComponents", "TriangleCount")
_SAME = {"LDAOptimizer": "LDA", "RDDLossFunction": "LogisticRegression", "WeightedLeastSquares": "LinearRegression"}
RATIOS = {**_GRAPHX, **_MLLIB}
FILES = (*RATIOS, *_GRAPHX_FILES, *_SAME)
SHARED_FILES = ("Summarizer", "Statistics", "DatasetUtils")  # a part of these, where one of them is there


class Cost(NamedTuple):
    """Seconds of the kernel's whole call: what is expected, and between which values."""

    expected: float
    least: float
    most: float


def cost(files: Collection[str], took: float) -> Cost:
    """Of the kernels for what stages named for these files did in `took` seconds.

    Where one algorithm is named, its ratio counts, else those of all in its library.

    Examples
    --------
    >>> [round(value, 2) for value in cost({"PageRank", "GraphImpl"}, 37.0)]
    [1.34, 0.41, 4.52]
    """
    named = {_SAME.get(file, file) for file in files}
    own = [ratio for file in named for ratio in RATIOS.get(file, ())]
    library = [ratio for ratios in (_GRAPHX if named & set(_GRAPHX_FILES) else _MLLIB).values() for ratio in ratios]
    ratios = own or library
    middle = math.exp(sum(map(math.log, ratios)) / len(ratios))
    most = took / min(ratios) * MARGIN + CALL_S[2]
    return Cost(took / middle + CALL_S[1], took / max(ratios) / MARGIN + CALL_S[0], min(most, took))
