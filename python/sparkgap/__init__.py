# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""sparkgap: the heavy parts of Spark jobs at the speed of the hardware, on the Spark you have.

>>> import sparkgap
>>> spark = sparkgap.session("local[2]")
>>> edges = spark.createDataFrame([(1, 2), (2, 1), (3, 1)], "src bigint, dst bigint")
>>> sparkgap.graph.pagerank(edges).count()
3
"""

from __future__ import annotations

import importlib.metadata

from . import graph, ml, mpi, store, tensor
from .call import Call, last_call
from .doctor import doctor
from .errors import ArgumentError, DataError, InternalError, LaunchError, ResourceError, SparkGapError
from .session import session, settings_for

try:
    __version__ = importlib.metadata.version("sparkgap")
except importlib.metadata.PackageNotFoundError:  # a source tree on PYTHONPATH
    __version__ = "0+source"

__all__ = [
    "ArgumentError",
    "Call",
    "DataError",
    "InternalError",
    "LaunchError",
    "ResourceError",
    "SparkGapError",
    "__version__",
    "doctor",
    "graph",
    "last_call",
    "ml",
    "mpi",
    "session",
    "settings_for",
    "store",
    "tensor",
]
