# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What we take of pyspark.ml, which cannot be imported without NumPy; pyspark itself does not install that."""

from __future__ import annotations

from .. import environment

try:
    from pyspark.ml import classification, clustering, regression
    from pyspark.ml.base import Estimator, Model
    from pyspark.ml.functions import array_to_vector
    from pyspark.ml.param import Param, Params, TypeConverters
    from pyspark.ml.param.shared import HasMaxIter, HasPredictionCol, HasRegParam, HasSeed, HasTol
    from pyspark.ml.util import MLReader
except ImportError as e:
    raise environment.missing(e, "pyspark.ml") from None

__all__ = [
    "Estimator",
    "HasMaxIter",
    "HasPredictionCol",
    "HasRegParam",
    "HasSeed",
    "HasTol",
    "MLReader",
    "Model",
    "Param",
    "Params",
    "TypeConverters",
    "array_to_vector",
    "classification",
    "clustering",
    "regression",
]
