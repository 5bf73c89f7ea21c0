# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""A fit as a call: what it is asked for and what it reports, from Python and from the command line."""

import json
import subprocess
import sys
import warnings

import pytest
from learning_rows import ROWS, WIDTH
from pyspark import InheritableThread
from pyspark.ml import Pipeline
from pyspark.ml import clustering as sparks_clustering
from pyspark.ml import regression as sparks_regression
from pyspark.ml.evaluation import RegressionEvaluator
from pyspark.ml.tuning import CrossValidator, ParamGridBuilder

import sparkgap
from sparkgap import cli
from sparkgap.ml import classification, clustering, regression

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
