# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Graph kernels on DataFrames of edges, or on graphs that are built once and used by many calls.

>>> edges = spark.createDataFrame([(1, 2), (2, 1), (3, 1)], "src bigint, dst bigint")
>>> with build(edges) as g:
...     [tuple(r) for r in degree(g).orderBy("id").collect()]
[(1, 2, 1, 3), (2, 1, 1, 2), (3, 0, 1, 1)]
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import kernels
from .kernels import *  # noqa: F403 - what is derived from the Specs
from .stored_graph import Graph, build, load
from .vertex_program import run

if TYPE_CHECKING:
    from .graphframe import GraphFrame

__all__ = ["Graph", "GraphFrame", "build", "load", "run"]
__all__ += [name for name in kernels.__all__ if name != "KernelMethods"]


def __getattr__(name: str) -> Any:
    """GraphFrame when it is asked for: its signatures hold values of pyspark, without which the rest can be
    imported.
    """
    if name != "GraphFrame":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .graphframe import GraphFrame

    return GraphFrame
