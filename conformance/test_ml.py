# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Estimators of sparkgap.ml beside Spark's own: the same numbers, Spark's own models, and what neither can learn
from.
"""

import json
import subprocess
import sys
import warnings

import numpy as np
import pytest
from conftest import CONF
from pyspark import InheritableThread
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
from sparkgap import cli
from sparkgap.ml import classification, clustering, regression

ROWS, WIDTH = 240, 4
LOADER = """
import sys
from pyspark.ml import Pipeline
from pyspark.ml.regression import LinearRegressionModel
from pyspark.sql import SparkSession

spark = (
    SparkSession.builder.master("local[1]")
    .config("spark.ui.enabled", "false")
    .config("spark.driver.bindAddress", "127.0.0.1")
    .getOrCreate()
)
assert not spark.conf.get("spark.plugins", "")
print(LinearRegressionModel.load(f"file://{sys.argv[1]}/native").numFeatures)
print(Pipeline.load(f"file://{sys.argv[1]}/pipeline").getStages()[-1])
"""


@pytest.fixture
def rows(spark):
    """Vectors, dense and sparse mixed, with a label that is linear in them, a class, small counts and weights, of which
    some are 0.
    """
    random = np.random.default_rng(1)
    x = random.normal(size=(ROWS, WIDTH)) + np.arange(WIDTH)
    x[:, 1] += x[:, 0]
    y = x @ [1.0, 2.0, 0.0, -1.0] + 3 + random.normal(size=ROWS) / 4
    counts = random.poisson(2.0, size=(ROWS, WIDTH)) * (1 + (np.arange(WIDTH) == 1) * (y > 3)[:, None])
    kinds = [Vectors.dense(a) if i % 3 else Vectors.sparse(WIDTH, range(WIDTH), a) for i, a in enumerate(x)]
    made = [
        (k, Vectors.dense(c), float(b), float(b > 3), float(i % 4))
        for i, (k, c, b) in enumerate(zip(kinds, counts, y, strict=True))
    ]
    return spark.createDataFrame(made, ["features", "counts", "label", "class", "w"])


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
    ours, theirs = regression.LinearRegression(**given).fit(rows), sparks_regression.LinearRegression(**given).fit(rows)
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
    ours, theirs = classification.NaiveBayes(**given).fit(rows), sparks_classification.NaiveBayes(**given).fit(rows)
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
    ours, theirs = clustering.KMeans(**given).fit(rows), sparks_clustering.KMeans(**given).fit(rows)
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


def test_what_a_kernel_does_not_do(spark, rows):
    huber = regression.LinearRegression(loss="huber", maxIter=3)
    with pytest.warns(UserWarning, match="LinearRegression: not fitted natively: loss = huber"):
        model = huber.fit(rows)
    assert model.scale != 1
    spark.conf.set("spark.sparkgap.ml.unsupported", "refuse")
    try:
        with warnings.catch_warnings(), pytest.raises(sparkgap.ArgumentError) as caught:
            warnings.simplefilter("ignore")
            huber.fit(rows)
    finally:
        spark.conf.unset("spark.sparkgap.ml.unsupported")
    assert (
        str(caught.value)
        == "LinearRegression: expected what the native kernel does, found loss = huber. Do change it, or set"
        " spark.sparkgap.ml.unsupported=spark for Spark's own."
    )


@pytest.mark.parametrize(
    ("features", "label", "weight", "text"),
    [
        ("array(1d, double('nan'))", "1d", "1d", "data.features: expected finite numbers, found NaN in row"),
        ("array(1d, double('infinity'))", "1d", "1d", "data.features: expected finite numbers, found infinity in row"),
        (
            "if(id = 3, array(1d), array(1d, 2d))",
            "1d",
            "1d",
            "data.features: expected 2 features as in the rows before, found 1 in row 4",
        ),
        ("array(1d, 2d)", "if(id = 3, null, 1d)", "1d", "data.label: expected finite numbers, found a null in row 4"),
        ("array(1d, 2d)", "1d", "1d - id", "data.w: expected finite numbers of at least 0, found"),
        ("array(1d, 2d)", "1d", "0d", "weight: expected a row with a weight above 0, found none"),
    ],
)
@pytest.mark.parametrize("spark", ["classic"], indirect=True)
def test_what_cannot_be_learnt_from(spark, features, label, weight, text):
    from pyspark.ml.functions import array_to_vector

    rows = spark.range(0, 8, 1, 1).selectExpr(f"{features} a", f"{label} label", f"{weight} w")
    rows = rows.select(array_to_vector("a").alias("features"), "label", "w")
    with pytest.raises(sparkgap.DataError) as caught:
        regression.LinearRegression(weightCol="w").fit(rows)
    assert str(caught.value).startswith(text)


@pytest.mark.parametrize("spark", ["classic"], indirect=True)
def test_what_is_learnt_from_little(spark, rows):
    with pytest.raises(sparkgap.DataError, match=r"^data: expected at least one row, found none"):
        regression.LinearRegression().fit(rows.limit(0))
    same = spark.createDataFrame([(Vectors.dense(1.0, 7.0), 2.0)] * 5, ["features", "label"])
    model = regression.LinearRegression().fit(same)
    assert (list(model.coefficients), model.intercept) == ([0.0, 0.0], 2.0)
    assert len(clustering.KMeans(k=3).fit(same).clusterCenters()) == 1
    frame = spark.createDataFrame([(1, 2.0, 5), (2, 4.0, 7), (3, 1.0, 9)], "a int, b float, y int")
    found = sparkgap.ml.linreg(frame, features=["a", "b"], label="y").collect()
    assert [r.feature for r in found] == [-1, 0, 1]
    np.testing.assert_allclose([r.value for r in found], [3, 2, 0], atol=1e-9)
    assert sparkgap.last_call().figures["objective"] == pytest.approx([0], abs=1e-12)


def test_last_call(spark, rows):
    """A fit is a call as any other, by both engines, and what one fit is asked for is no setting of the session."""
    estimator = clustering.KMeans(featuresCol="features", k=2, seed=1, maxIter=30)
    for name, value in {"ranks": 2, "threads": 1, "timeoutS": 90.0}.items():
        estimator.set(estimator.getParam(name), value)
    model = estimator.fit(rows)
    native = sparkgap.last_call()
    assert (native.kernel, native.engine, native.table, native.rows_in) == ("kmeans", "native", "", ROWS)
    assert (native.ranks, native.threads) == (2, 1)
    assert native.iterations == model.summary.numIter and native.converged is True
    assert native.figures["objective"] == pytest.approx([estimator._objective(model, rows)])
    assert {"export_s", "compute_s", "readback_s"} < set(native.phases) and native.peak_rss_bytes > 0
    assert native.memory_bytes > 0 and native.total_s == pytest.approx(sum(native.phases.values()), rel=0.5)
    model = estimator.fit(rows, {estimator.engine: "spark"})
    sparks = sparkgap.last_call()
    assert (sparks.kernel, sparks.engine, sparks.rows_in, sparks.ranks) == ("kmeans", "spark", None, 0)
    assert sparks.iterations == model.summary.numIter and sparks.total_s > 0
    huber = regression.LinearRegression(loss="huber")
    with pytest.warns(UserWarning, match="loss = huber"):
        huber.fit(rows)
    assert (sparkgap.last_call().kernel, sparkgap.last_call().engine) == ("linreg", "spark")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        huber.fit(rows, {huber.engine: "spark"})  # no surprise
    with pytest.raises(sparkgap.SparkGapError, match="timeout"):
        estimator.fit(rows, {estimator.timeoutS: 0.001})
    assert sparkgap.last_call().kernel == "linreg", "a fit that fails is no call"
    asked = {"ranks", "threads", "timeout"}
    assert not [key for key in asked if spark.conf.get(f"spark.sparkgap.launch.{key}", None) in ("2", "1", "90000ms")]


def test_summary_after_a_fit(spark, rows):
    """The summary of a fit can be used: its rows go to executors with the session of the fit."""
    estimator = classification.LogisticRegression(labelCol="class", maxIter=5)
    model = estimator.fit(rows)
    assert sparkgap.last_call().kernel == "logreg"
    assert model.summary.accuracy > 0.5 and model.summary.predictions.count() == ROWS


def test_last_call_of_threads(spark, rows):
    """Each thread finds its own fit, of one estimator too."""
    estimator, found = clustering.KMeans(featuresCol="features", seed=1), {}

    def fit(k):
        estimator.fit(rows, {estimator.k: k})
        found[k] = sparkgap.last_call()

    threads = [InheritableThread(target=fit, args=(k,), session=spark) for k in (2, 3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {k: call.rows_out for k, call in found.items()} == {2: 2 * WIDTH, 3: 3 * WIDTH}


@pytest.mark.parametrize("spark", ["classic"], indirect=True)
def test_save_asked_for(spark, rows, tmp_path):
    """What one fit is asked for goes through copies and tuning, and is not in what Spark loads."""
    estimator = regression.LinearRegression()
    estimator.set(estimator.ranks, 2)
    estimator.save(f"file://{tmp_path}/estimator")
    assert not sparks_regression.LinearRegression.load(f"file://{tmp_path}/estimator").hasParam("ranks")
    grid = ParamGridBuilder().addGrid(estimator.regParam, [0.0, 0.1]).build()
    CrossValidator(
        estimator=estimator, estimatorParamMaps=grid, evaluator=RegressionEvaluator(), numFolds=2, seed=1
    ).fit(rows)
    assert (sparkgap.last_call().kernel, sparkgap.last_call().ranks) == ("linreg", 2)


@pytest.mark.parametrize("spark", ["classic"], indirect=True)
def test_command_line(spark, rows, tmp_path, capfd):
    """Both engines make a model of the same objective, and a Spark without sparkgap loads it."""
    from pyspark.ml.functions import vector_to_array

    rows.select("features", "label", "w").write.parquet(f"file://{tmp_path}/rows.parquet")
    flat = vector_to_array(rows.features)
    rows.select(*(flat[i].alias(f"x{i}") for i in range(WIDTH)), "label").write.parquet(
        f"file://{tmp_path}/flat.parquet"
    )
    objective = {}
    for engine in ("native", "spark"):
        words = [
            "run",
            "linreg",
            f"{tmp_path}/rows.parquet",
            "--reg-param",
            "0.3",
            "--elastic-net-param",
            "0.5",
            "--weight",
            "w",
        ]
        assert cli.main([*words, "--out", f"{tmp_path}/{engine}", "--json", "--engine", engine]) == 0, (
            capfd.readouterr().err
        )
        figures = json.loads(capfd.readouterr().out)
        assert (figures["engine"], figures["rows_in"]) == (engine, ROWS)
        assert (figures["peak_rss_bytes"] > 0) == (engine == "native")
        objective[engine] = figures["objective"]
    assert objective["native"] == pytest.approx(objective["spark"], rel=1e-6)
    (tmp_path / "words.txt").write_text("".join(f"{i % 9} {(i * 7) % 5} {1 + i % 3}\n" for i in range(90)))
    lda = [
        "run",
        "lda",
        f"{tmp_path}/words.txt",
        "--doc",
        "d",
        "--word",
        "w",
        "--count",
        "n",
        "--k",
        "2",
        "--out",
        str(tmp_path / "lda"),
        "--json",
    ]
    assert cli.main(lda) == 0, capfd.readouterr().err
    assert json.loads(capfd.readouterr().out)["objective"] < 0
    assert sparks_clustering.LocalLDAModel.load(f"file://{tmp_path}/lda").vocabSize() == 5
    several = [
        "run",
        "linreg",
        f"{tmp_path}/flat.parquet",
        "--features",
        "x0,x1,x2,x3",
        "--out",
        str(tmp_path / "several"),
    ]
    assert cli.main(several) == 0
    assert "compute" in capfd.readouterr().err
    assert sparks_regression.LinearRegressionModel.load(f"file://{tmp_path}/several").numFeatures == WIDTH
    Pipeline(stages=[regression.LinearRegression(regParam=0.25)]).save(f"file://{tmp_path}/pipeline")
    plain = subprocess.run([sys.executable, "-c", LOADER, tmp_path], capture_output=True, text=True, timeout=100)
    assert plain.returncode == 0, plain.stderr[-2000:]
    width, stage = plain.stdout.splitlines()
    assert (width, stage.startswith("LinearRegression")) == (str(WIDTH), True)


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
