# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Workloads of learning. Iterative ones begin with `df.cache()`, wherever that keeps tables, and a count."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import peers

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from ..application import Request

_CLUSTERS, _TOPICS, _FEW, _FEATURES, _SEED = 8, 20, 20_000, 10_000, 1


def naivebayes(spark: SparkSession, request: Request) -> None:
    """Classifies lines with a model of a few of them; the model's time is part of it, and small."""
    from pyspark.ml import Pipeline
    from pyspark.ml.feature import HashingTF
    from pyspark.sql import functions as F

    lines = spark.read.text(request.input)
    split = lines.select(
        F.split_part("value", F.lit("\t"), F.lit(1)).cast("double").alias("label"),
        F.split(F.split_part("value", F.lit("\t"), F.lit(2)), " ").alias("words"),
    )
    stages = [HashingTF(inputCol="words", outputCol="features", numFeatures=_FEATURES)]
    stages.append(_estimator(request, "classification", "NaiveBayes")())
    model = Pipeline(stages=stages).fit(split.limit(_FEW))
    model.transform(split).select(F.col("prediction").cast("string")).write.text(request.output)


def kmeans(spark: SparkSession, request: Request) -> None:
    """Eight clusters of dense vectors."""
    points = _cached(spark, request)
    kmeans = _estimator(request, "clustering", "KMeans")(k=_CLUSTERS, maxIter=request.iterations, tol=0.0, seed=_SEED)
    model = kmeans.fit(points)
    _write(request, "\n".join(str(list(center)) for center in model.clusterCenters()))


def linreg(spark: SparkSession, request: Request) -> None:
    """Linear regression by L-BFGS."""
    points = _cached(spark, request)
    fit = _estimator(request, "regression", "LinearRegression")(
        maxIter=request.iterations, solver="l-bfgs", tol=0.0, regParam=0.01
    ).fit(points)
    _write(request, str(list(fit.coefficients)))


def logreg(spark: SparkSession, request: Request) -> None:
    """Logistic regression with two classes."""
    points = _cached(spark, request)
    fit = _estimator(request, "classification", "LogisticRegression")(
        maxIter=request.iterations, tol=0.0, regParam=0.01
    ).fit(points)
    _write(request, str(list(fit.coefficients)))


def lda(spark: SparkSession, request: Request) -> None:
    """Twenty topics of lines of words, from counts that are cached and counted."""
    from pyspark.ml.feature import CountVectorizer
    from pyspark.sql import functions as F

    words = spark.read.text(request.input).select(F.split("value", " ").alias("words"))
    counts = CountVectorizer(inputCol="words", outputCol="features", vocabSize=_FEATURES).fit(words).transform(words)
    documents = counts.select("features").cache()
    documents.count()
    request.begin()
    if request.engine == "moves":
        sums = _TOPICS * _FEATURES
        request.add_parts(peers.moves(spark, [sums], [sums], request.iterations))
        return
    concentrations = {"docConcentration": [3.5], "topicConcentration": 1.1}
    estimator = _estimator(request, "clustering", "LDA")
    model = estimator(k=_TOPICS, maxIter=request.iterations, optimizer="em", seed=_SEED, **concentrations).fit(
        documents
    )
    _write(request, str(model.topicsMatrix().toArray().shape))


def _estimator(request: Request, module: str, name: str) -> Any:
    """The class of that name, of Spark or of sparkgap."""
    package = "sparkgap.ml" if request.engine == "sparkgap" else "pyspark.ml"
    return getattr(importlib.import_module(f"{package}.{module}"), name)


def _cached(spark: SparkSession, request: Request) -> DataFrame:
    from pyspark.ml.functions import array_to_vector

    table = spark.read.parquet(request.input)
    points = table.select(array_to_vector("features").alias("features"), "label").cache()
    points.count()
    return points


def _write(request: Request, text: str) -> None:
    Path(request.output).write_text(text + "\n", encoding="utf-8")
