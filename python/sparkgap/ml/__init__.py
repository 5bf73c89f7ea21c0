# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Machine learning on native ranks: each kernel as a function on a DataFrame of rows, its model as a table.

>>> points = spark.createDataFrame([(0.0,), (1.0,), (9.0,), (10.0,)], "x double")
>>> sorted(round(r.value, 1) for r in kmeans(points, features=["x"]).collect())
[0.5, 9.5]
"""

from __future__ import annotations

from .kernels import *  # noqa: F403 - what is derived from the Specs
from .kernels import __all__ as __all__
