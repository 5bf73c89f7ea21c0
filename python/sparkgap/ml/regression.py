# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""pyspark.ml.regression's estimators on native ranks; what `fit` returns is pyspark.ml's own model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from .native_estimator import NativeEstimator
from .objective import penalty
from .pyspark_ml import regression

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["LinearRegression"]


class LinearRegression(NativeEstimator, regression.LinearRegression):
    """Linear regression from one pass over the rows (kernel `linreg`); loss "huber" goes to Spark's own.

    Examples
    --------
    >>> from pyspark.ml.linalg import Vectors
    >>> rows = [(1.0, Vectors.dense(0.0)), (3.0, Vectors.dense(1.0)), (5.0, Vectors.dense(2.0))]
    >>> model = LinearRegression().fit(spark.createDataFrame(rows, ["label", "features"]))
    >>> round(model.intercept, 6), [round(float(c), 6) for c in model.coefficients]
    (1.0, [2.0])
    """

    kernel = "linreg"
    sparks: ClassVar = {"loss": "huber"}

    @staticmethod
    def _objective(model: Any, rows: DataFrame) -> float:
        """Half the mean squared error with what the coefficients cost."""
        return float(model.summary.meanSquaredError) / 2 + penalty(model, rows)
