# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Estimators of sparkgap.ml beside Spark's own: the same numbers, and models that are Spark's own."""

import numpy as np
import pytest
from conftest import CONF
from pyspark.ml import Pipeline, PipelineModel
from pyspark.ml import classification as sparks_classification
from pyspark.ml import clustering as sparks_clustering
from pyspark.ml import regression as sparks_regression
from pyspark.ml.evaluation import RegressionEvaluator
from pyspark.ml.feature import StandardScaler
from pyspark.ml.linalg import Vectors
from pyspark.ml.tuning import CrossValidator, ParamGridBuilder
from pyspark.sql.types import ArrayType, DoubleType, StructField, StructType

import sparkgap
from sparkgap.ml import classification, clustering, regression


@pytest.mark.parametrize(
    "given",
    [
        {"weightCol": "w"},
        {"fitIntercept": False, "standardization": False, "regParam": 0.1},
        {"solver": "l-bfgs", "regParam": 0.2, "elasticNetParam": 0.3, "weightCol": "w", "tol": 1e-13},
    ],
    ids=str,
)
@pytest.mark.parametrize("spark", ["classic"], indirect=True)
def test_linear_regression(spark, rows, given):
    ours, theirs = (
        regression.LinearRegression(**given).fit(rows),
        sparks_regression.LinearRegression(**given).fit(rows),
    )
    assert type(ours) is type(theirs)
    np.testing.assert_allclose(ours.coefficients, theirs.coefficients, atol=1e-7)
    assert ours.intercept == pytest.approx(theirs.intercept, abs=1e-7)
    assert ours.summary.r2 == pytest.approx(theirs.summary.r2, abs=1e-9)
    assert ours.summary.objectiveHistory[-1] == pytest.approx(theirs.summary.objectiveHistory[-1], abs=1e-9)
    if "elasticNetParam" not in given:
        np.testing.assert_allclose(
            ours.summary.coefficientStandardErrors, theirs.summary.coefficientStandardErrors, rtol=1e-9
        )
    assert {p.name: v for p, v in ours.extractParamMap().items()} == {
        p.name: v for p, v in theirs.extractParamMap().items()
    }
    # Made when it is asked for, once for all copies.
    assert ours.hasSummary and ours.copy().summary.predictions.columns == theirs.summary.predictions.columns


@pytest.mark.parametrize("family", ["binomial", "multinomial"])
@pytest.mark.parametrize("spark", ["classic"], indirect=True)
def test_logistic_regression(spark, rows, family):
    given = {
        "labelCol": "class",
        "weightCol": "w",
        "family": family,
        "regParam": 0.02,
        "elasticNetParam": 0.5,
        "tol": 1e-12,
        "maxIter": 300,
        "thresholds": [0.3, 0.7],
    }
    ours, theirs = (
        classification.LogisticRegression(**given).fit(rows),
        sparks_classification.LogisticRegression(**given).fit(rows),
    )
    assert type(ours) is type(theirs)
    np.testing.assert_allclose(ours.coefficientMatrix.toArray(), theirs.coefficientMatrix.toArray(), atol=1e-4)
    np.testing.assert_allclose(ours.interceptVector.toArray(), theirs.interceptVector.toArray(), atol=1e-4)
    assert ours.summary.objectiveHistory[-1] == pytest.approx(theirs.summary.objectiveHistory[-1], rel=1e-8)
    assert ours.summary.accuracy == theirs.summary.accuracy
    assert {p.name: v for p, v in ours.extractParamMap().items()} == {
        p.name: v for p, v in theirs.extractParamMap().items()
    }


# The other two kinds are beside an oracle in the kernel's own test.
@pytest.mark.parametrize("kind", ["multinomial", "gaussian"])
@pytest.mark.parametrize("spark", ["classic"], indirect=True)
def test_naive_bayes(spark, rows, kind):
    given = {"featuresCol": "counts", "labelCol": "class", "weightCol": "w", "modelType": kind, "smoothing": 0.5}
    ours, theirs = (classification.NaiveBayes(**given).fit(rows), sparks_classification.NaiveBayes(**given).fit(rows))
    assert type(ours) is type(theirs)
    for term in ("pi", "theta", "sigma"):
        np.testing.assert_allclose(
            getattr(ours, term).toArray(), getattr(theirs, term).toArray(), rtol=1e-7, err_msg=term
        )
    assert (
        ours.transform(rows).filter("prediction = class").count()
        == theirs.transform(rows).filter("prediction = class").count()
    )


@pytest.mark.parametrize("spark", ["classic"], indirect=True)
def test_k_means(spark):
    random = np.random.default_rng(2)
    middle = np.array([[9, 0, 0], [0, 9, 0], [0, 0, 9]])
    points = [(Vectors.dense(middle[i % 3] + random.normal(size=3) / 2),) for i in range(150)]
    rows = spark.createDataFrame(points, ["features"])
    given = {"k": 3, "seed": 5, "tol": 0.0, "maxIter": 50}
    ours, theirs = (clustering.KMeans(**given).fit(rows), sparks_clustering.KMeans(**given).fit(rows))
    assert type(ours) is type(theirs)
    np.testing.assert_allclose(
        sorted(map(list, ours.clusterCenters())), sorted(map(list, theirs.clusterCenters())), atol=1e-9
    )
    assert ours.summary.trainingCost == pytest.approx(theirs.summary.trainingCost, rel=1e-9)
    assert sorted(ours.summary.clusterSizes) == [50, 50, 50]
    arrays = spark.createDataFrame(
        [(p[0].toArray().tolist(),) for p in points],
        StructType([StructField("features", ArrayType(DoubleType(), False))]),
    )
    np.testing.assert_allclose(
        sorted(map(list, clustering.KMeans(**given).fit(arrays).clusterCenters())),
        sorted(map(list, ours.clusterCenters())),
        atol=1e-12,
    )


@pytest.mark.parametrize("spark", ["classic"], indirect=True)
def test_lda(spark):
    random = np.random.default_rng(4)
    topics = np.kron(np.eye(3), np.full(4, 0.25))
    documents = [
        (Vectors.dense(random.multinomial(60, random.dirichlet([0.2] * 3) @ topics).astype(float)),) for _ in range(60)
    ]
    rows = spark.createDataFrame(documents, ["features"])
    given = {"k": 3, "maxIter": 40, "docConcentration": [1.1], "topicConcentration": 1.1, "seed": 6}
    ours, theirs = (
        clustering.LDA(**given, optimizer="em").fit(rows),
        sparks_clustering.LDA(**given, optimizer="em").fit(rows).toLocal(),
    )
    assert type(ours) is type(theirs)
    online = clustering.LDA(**given, subsamplingRate=0.5, learningOffset=10.0).fit(rows)
    assert type(online) is type(theirs)
    assert online.estimatedDocConcentration().size == 3
    assert sorted(sorted(r.termIndices) for r in online.describeTopics(4).collect()) == [
        [0, 1, 2, 3],
        [4, 5, 6, 7],
        [8, 9, 10, 11],
    ]
    assert sorted(sorted(r.termIndices) for r in ours.describeTopics(4).collect()) == [
        [0, 1, 2, 3],
        [4, 5, 6, 7],
        [8, 9, 10, 11],
    ]
    assert ours.logPerplexity(rows) == pytest.approx(theirs.logPerplexity(rows), rel=1e-2)
    assert ours.topicsMatrix().toArray().sum() == pytest.approx(60 * 60, rel=1e-5)


def test_pipeline(spark, rows, tmp_path):
    """In both modes: fit in a pipeline, predict, save, and load by Spark's classes and by ours."""
    stages = [
        StandardScaler(inputCol="features", outputCol="scaled"),
        regression.LinearRegression(featuresCol="scaled", regParam=0.1),
    ]
    model = Pipeline(stages=stages).fit(rows)
    where = f"file://{tmp_path}"
    model.save(where + "/model")
    again = PipelineModel.load(where + "/model")
    assert type(again.stages[1]) is sparks_regression.LinearRegressionModel
    expected = model.transform(rows).select("prediction").toArrow()
    assert again.transform(rows).select("prediction").toArrow() == expected
    stages[1].save(where + "/estimator")
    assert sparks_regression.LinearRegression.load(where + "/estimator").getRegParam() == 0.1
    mine = regression.LinearRegression.load(where + "/estimator")
    assert (type(mine), mine.getFeaturesCol(), mine.uid) == (regression.LinearRegression, "scaled", stages[1].uid)
    assert (
        mine.fit(model.stages[0].transform(rows))
        .transform(model.stages[0].transform(rows))
        .select("prediction")
        .toArrow()
        == expected
    )


@pytest.mark.parametrize("spark", ["classic"], indirect=True)
def test_cross_validation(spark, rows):
    estimator = regression.LinearRegression(elasticNetParam=1.0)
    grid = ParamGridBuilder().addGrid(estimator.regParam, [5.0, 0.01]).build()
    found = CrossValidator(
        estimator=estimator, estimatorParamMaps=grid, evaluator=RegressionEvaluator(), numFolds=2, seed=3
    ).fit(rows)
    assert found.avgMetrics[1] < 0.3 < found.avgMetrics[0]
    assert found.bestModel.getRegParam() == 0.01


def test_models_that_connect_puts_on_disk(own, store):
    """As it does with what nobody used for a quarter of an hour, or where there are many."""
    conf = {
        **CONF,
        "spark.sparkgap.store.dir": str(store.path),
        "spark.connect.session.connectML.mlCache.memoryControl.maxInMemorySize": "20000",
    }  # bytes
    spark = sparkgap.session(remote="local[2]", conf=conf)
    rows = spark.createDataFrame(
        [(Vectors.dense([float(i), float(i * i % 7)]), 2.0 * i + 1) for i in range(50)], ["features", "label"]
    )
    models = [regression.LinearRegression(maxIter=5 + i).fit(rows) for i in range(8)]
    for model in models:
        assert list(model.coefficients) == pytest.approx([2, 0], abs=1e-9)
        assert model.transform(rows).where("abs(prediction - label) > 1e-9").count() == 0
