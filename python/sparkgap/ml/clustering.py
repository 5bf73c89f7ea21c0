# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""pyspark.ml.clustering's estimators on native ranks; what `fit` returns is pyspark.ml's own model."""

from __future__ import annotations

from pyspark.ml import clustering

from .native_fit import NativeFit

__all__ = ["KMeans"]


class KMeans(NativeFit, clustering.KMeans):
    """K-means (kernel `kmeans`); `solver` and `maxBlockSizeInMB` mean nothing here, and a seed draws other rows than Spark's.

    Examples
    --------
    >>> from pyspark.ml.linalg import Vectors
    >>> points = spark.createDataFrame([(Vectors.dense(x),) for x in (0.0, 1.0, 9.0, 10.0)], ["features"])
    >>> sorted(float(c[0]) for c in KMeans(k=2, seed=1).fit(points).clusterCenters())
    [0.5, 9.5]
    """

    kernel = "kmeans"
