# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The kernels on this host without Spark and without a JVM: rows of Arrow in, a table of Arrow out.

>>> from sparkgap import local
>>> local.pagerank({"src": [1, 2, 3], "dst": [2, 1, 1]}).num_rows
3

Rows are anything with `__arrow_c_stream__` (pyarrow, pandas, polars, duckdb), a dict of columns, or the path of a file
that docs/files.md describes. An uncompressed Arrow file, and a `table` of this host's store, are read where they lie.
Results are tables over mapped memory: other libraries take them without a copy. A graph that `build` made, or `load`
found in the store, can stand for `edges`.
`sparkgap.last_call()` has the figures of the last call.
"""

from . import mpi
from .graph import Graph, build, load
from .kernels import *  # noqa: F403
from .kernels import __all__ as _kernels
from .publish import publish
from .read import read
from .stored_table import StoredTable, table

__all__ = [
    "Graph",
    "StoredTable",
    "build",
    "load",
    "mpi",
    "publish",
    "read",
    "table",
    *(name for name in _kernels if name != "KernelMethods"),
]
