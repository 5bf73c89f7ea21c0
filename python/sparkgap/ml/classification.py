# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""pyspark.ml.classification's estimators on native ranks; what `fit` returns is pyspark.ml's own model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from .native_estimator import NativeEstimator
from .pyspark_ml import classification

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["LogisticRegression", "NaiveBayes"]


class LogisticRegression(NativeEstimator, classification.LogisticRegression):
    """Logistic regression (kernel `logreg`); bounds on coefficients or intercepts go to Spark's own.

    Examples
    --------
    >>> from pyspark.ml.linalg import Vectors
    >>> rows = [(float(x > 3), Vectors.dense(x)) for x in (0.0, 1.0, 2.0, 4.0, 5.0, 6.0)]
    >>> model = LogisticRegression(regParam=0.1).fit(spark.createDataFrame(rows, ["label", "features"]))
    >>> model.predict(Vectors.dense(5.5))
    1.0
    """

    kernel = "logreg"
    sparks: ClassVar = {
        f"{side}BoundsOn{what}": None for side in ("lower", "upper") for what in ("Coefficients", "Intercepts")
    }

    @staticmethod
    def _objective(model: Any, rows: DataFrame) -> float:
        """The mean loss with what the coefficients cost."""
        return float(model.summary.objectiveHistory[-1])


class NaiveBayes(NativeEstimator, classification.NaiveBayes):
    """Naive Bayes of all four kinds (kernel `naivebayes`).

    Examples
    --------
    >>> from pyspark.ml.linalg import Vectors
    >>> rows = [(0.0, Vectors.dense(3.0, 0.0)), (1.0, Vectors.dense(0.0, 2.0))]
    >>> model = NaiveBayes().fit(spark.createDataFrame(rows, ["label", "features"]))
    >>> model.predict(Vectors.dense(1.0, 0.0))
    0.0
    """

    kernel = "naivebayes"
