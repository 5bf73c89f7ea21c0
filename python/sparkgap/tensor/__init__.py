# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Sparse tensors on native ranks: the CP decomposition as a function on a DataFrame of entries, and as an estimator.

>>> rows = [("ann", 1, 4.0), ("ann", 2, 2.0), ("bob", 1, 2.0), ("bob", 2, 1.0)]
>>> entries = spark.createDataFrame(rows, "user string, item int, stars double")
>>> import sparkgap
>>> model = sparkgap.tensor.CPD(rank=1, modes=["user", "item"], value="stars").fit(entries)
>>> round(model.fit, 6), [round(x, 6) for x in model.lambdas]
(1.0, [5.0])
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import kernels
from .kernels import *  # noqa: F403 - what is derived from the Specs

if TYPE_CHECKING:
    from .estimator import CPD, CPDModel

__all__ = ["CPD", "CPDModel"]
__all__ += kernels.__all__


def __getattr__(name: str) -> Any:
    """The classes, whose base classes load pyspark.ml, which not everybody needs."""
    if name not in ("CPD", "CPDModel"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import estimator

    return getattr(estimator, name)
