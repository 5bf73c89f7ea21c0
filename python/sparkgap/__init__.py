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

from typing import Any

from . import accelerate, graph, ml, mpi, store, tensor
from .accelerate import install, uninstall
from .call import Call, last_call
from .doctor import doctor
from .errors import ArgumentError, DataError, InternalError, LaunchError, ResourceError, SparkGapError
from .session import configure, session
from .settings import settings_for

__version__: str
__all__ = [
    "ArgumentError",
    "Call",
    "DataError",
    "InternalError",
    "LaunchError",
    "ResourceError",
    "SparkGapError",
    "__version__",
    "accelerate",
    "configure",
    "doctor",
    "graph",
    "install",
    "last_call",
    "ml",
    "mpi",
    "session",
    "settings_for",
    "store",
    "tensor",
    "uninstall",
]


def __getattr__(name: str) -> Any:
    if name == "cluster":  # few need it
        import importlib

        return importlib.import_module(".cluster", __name__)
    if name == "__version__":  # reading it takes longer than all else here
        from .environment import own_version

        return own_version()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
