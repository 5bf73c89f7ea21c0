# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The kernels on this host without Spark and without a JVM: rows of Arrow in, a table of Arrow out.

>>> from sparkgap import local
>>> local.pagerank({"src": [1, 2, 3], "dst": [2, 1, 1]}).num_rows
3

Rows are anything with `__arrow_c_stream__` (pyarrow, pandas, polars, duckdb), a dict of columns, or the path of a file
(Parquet, Arrow, CSV with a header). An uncompressed Arrow file is read where it lies. Results are tables over mapped
memory: other libraries take them without a copy. A graph that `build` made can stand for `edges`.
`sparkgap.last_call()` has the figures of the last call.
"""

from .graph import Graph, build
from .kernels import *  # noqa: F403
from .kernels import __all__ as _kernels

__all__ = ["Graph", "build", *(name for name in _kernels if name != "KernelMethods")]
