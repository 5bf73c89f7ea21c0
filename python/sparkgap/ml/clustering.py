# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""pyspark.ml.clustering's estimators on native ranks; what `fit` returns is pyspark.ml's own model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .native_estimator import NativeEstimator
from .objective import cost
from .pyspark_ml import clustering

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["LDA", "KMeans"]


class KMeans(NativeEstimator, clustering.KMeans):
    """K-means (kernel `kmeans`); `solver` and `maxBlockSizeInMB` mean nothing here, and a seed draws other rows than
    Spark's.

    Examples
    --------
    >>> from pyspark.ml.linalg import Vectors
    >>> points = spark.createDataFrame([(Vectors.dense(x),) for x in (0.0, 1.0, 9.0, 10.0)], ["features"])
    >>> sorted(float(c[0]) for c in KMeans(k=2, seed=1).fit(points).clusterCenters())
    [0.5, 9.5]
    """

    kernel = "kmeans"

    @staticmethod
    def _objective(model: Any, rows: DataFrame) -> float:
        """The sum of weight * distance to the center of a row's cluster."""
        return cost(model, rows)


class LDA(NativeEstimator, clustering.LDA):
    """Topics (kernel `lda`), as a LocalLDAModel also with the optimizer "em"; a `docConcentration` that differs from
    topic to topic goes to Spark's own.

    Examples
    --------
    >>> from pyspark.ml.linalg import Vectors
    >>> rows = [(Vectors.dense(9.0, 7.0, 0.0, 0.0),), (Vectors.dense(0.0, 0.0, 5.0, 8.0),)] * 3
    >>> documents = spark.createDataFrame(rows, ["features"])
    >>> model = LDA(k=2, optimizer="em", docConcentration=[1.1], topicConcentration=1.1, seed=3).fit(documents)
    >>> sorted(sorted(r.termIndices) for r in model.describeTopics(2).collect())
    [[0, 1], [2, 3]]
    """

    kernel = "lda"

    @staticmethod
    def _objective(model: Any, rows: DataFrame) -> float:
        """The bound of the likelihood, which it makes large."""
        return float((model.toLocal() if model.isDistributed() else model).logLikelihood(rows))

    def _create_model(self, java_model: Any) -> Any:
        # Where Spark's own em has run after all the model is a distributed one; Connect does not say which it is.
        theirs = hasattr(java_model, "getClass") and java_model.getClass().getSimpleName().startswith("Distributed")
        return clustering.DistributedLDAModel(java_model) if theirs else clustering.LocalLDAModel(java_model)
