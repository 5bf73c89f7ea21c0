# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Graph kernels on DataFrames of edges, or on graphs that are built once and used by many calls.

>>> edges = spark.createDataFrame([(1, 2), (2, 1), (3, 1)], "src bigint, dst bigint")
>>> with build(edges) as g:
...     [tuple(r) for r in degree(g).orderBy("id").collect()]
[(1, 2, 1, 3), (2, 1, 1, 2), (3, 0, 1, 1)]
"""

from __future__ import annotations

from .generators import rmat
from .handle import Graph, build, load
from .ranking import degree, pagerank

__all__ = ["Graph", "build", "degree", "load", "pagerank", "rmat"]
