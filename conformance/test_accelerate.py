# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Jobs that nobody edits: the same results natively where there is a kernel, Spark's own where not, and it is said."""

import os
import subprocess
import sys

import pytest
import spark_examples
from conftest import ROOT

EXAMPLES = ("estimator_transformer_param_example", "kmeans_example", "linear_regression_with_elastic_net",
            "logistic_regression_with_elastic_net", "naive_bayes_example")  # fmt: skip

# A job as anybody writes one: its own settings, a pipeline, an estimator without a kernel, a graph, a saved pipeline.
JOB = """
import sys
from pyspark import SparkConf, SparkContext
from pyspark.ml import Pipeline
from pyspark.ml.classification import LogisticRegression, RandomForestClassifier
from pyspark.ml.clustering import LDA, DistributedLDAModel, KMeans
from pyspark.ml.feature import VectorAssembler
from pyspark.ml.linalg import Vectors
from pyspark.sql import SparkSession

if sys.argv[2] == "context":  # as it was done before there were sessions
    SparkContext(conf=SparkConf().setMaster("local[2]").setAppName("mine"))
spark = SparkSession.builder.config("spark.ui.enabled", "false").master("local[2]").appName("mine").getOrCreate()
values = [(float(i % 2), i + 100.0 * (i > 19), float(i * i % 7)) for i in range(40)]
rows = spark.createDataFrame(values, ["label", "a", "b"])


class Mine(KMeans):
    pass


stages = [VectorAssembler(inputCols=["a", "b"], outputCol="features"), Mine(k=2, seed=1), LogisticRegression(maxIter=5)]
stages[2].setPredictionCol("class").setFeaturesCol("features")
pipeline = Pipeline(stages=stages)
pipeline.write().overwrite().save(sys.argv[1])
model = Pipeline.load(sys.argv[1]).fit(rows)
print("centers", sorted(round(float(c[0]), 6) for c in pipeline.fit(rows).stages[1].clusterCenters()))
vectors = model.stages[0].transform(rows)
RandomForestClassifier(numTrees=2, maxDepth=2).fit(vectors)
topics = LDA(k=2, optimizer="em", maxIter=2).fit(vectors)
print("distributed", isinstance(topics, DistributedLDAModel), topics.isDistributed(), topics.logPrior() < 0)

try:
    KMeans().fit(vectors.where("false"))
except Exception as e:
    print("empty", type(e).__module__.partition(".")[0])
print([line.partition(":")[0] for line in KMeans().explainParams().splitlines()], spark.sparkContext.appName)
spark.stop()
"""


def python(*words, **environment):
    return subprocess.run(
        [sys.executable, *map(str, words)],
        env={**os.environ, "PYTHONPATH": str(ROOT / "python"), **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )


def said(done):
    """The lines of ours on stderr."""
    assert done.returncode == 0, done.stderr[-3000:]
    return [line[line.index("sparkgap: ") :] for line in done.stderr.splitlines() if "sparkgap: " in line]


@pytest.fixture(scope="module")
def job(tmp_path_factory):
    file = tmp_path_factory.mktemp("job") / "job.py"
    file.write_text(JOB)
    return file


@pytest.fixture(scope="module")
def plain(job):
    done = python(job, job.parent / "plain", "session")
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def test_a_job_runs_as_it_is(job, plain):
    """By a context; Spark's examples and the submitted job begin with a session."""
    done = python("-m", "sparkgap.accelerate", job, job.parent / "accelerated", "context")
    lines = said(done)
    assert done.stdout == plain
    assert sum(line.startswith("sparkgap: KMeans native, ") for line in lines) == 2, lines
    assert sum(line.startswith("sparkgap: LogisticRegression native, ") for line in lines) == 2, lines
    assert lines.count("sparkgap: RandomForestClassifier stays Spark's: no kernel") == 1
    assert lines.count("sparkgap: LDA stays Spark's: optimizer = em") == 1
    assert lines[-1] == "sparkgap: what ran:"
    assert "KMeans" in done.stderr.rpartition("what ran:")[2]


def test_off(tmp_path):
    (tmp_path / "job.py").write_text("from pyspark.ml.clustering import KMeans\nprint(KMeans.__module__)")
    done = python("-m", "sparkgap.accelerate", tmp_path / "job.py", SPARKGAP_ACCELERATE="off")
    assert said(done) == ["sparkgap: SPARKGAP_ACCELERATE=off: everything stays Spark's"]
    assert done.stdout == "pyspark.ml.clustering\n"


def test_submit(job, plain):
    """Settings that are lists keep what the job's own options say."""
    done = python(
        "-c",
        "from sparkgap.accelerate.submit import main; main()",
        "--master=local[2]",
        "--conf",
        "spark.plugins=org.apache.spark.sql.connect.SparkConnectPlugin",
        "--conf",
        "spark.connect.grpc.binding.port=0",
        job,
        job.parent / "submitted",
        "session",
    )
    assert done.returncode == 0, done.stderr[-3000:]
    # spark-submit has one stream for both of a Python job's.
    assert "sparkgap: LogisticRegression native, " in done.stdout
    assert set(plain.splitlines()) <= set(done.stdout.splitlines())


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--quiet"], "usage: "),
        (["nothing.py"], "app: expected a Python file, found nothing.py. "),
        (["-x"], "usage: "),
    ],
    ids=str,
)
def test_wrong_words(words, why):
    done = python("-m", "sparkgap.accelerate", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(why)


def test_what_spark_submit_cannot_do():
    done = python("-c", "from sparkgap.accelerate.submit import main; main()", "--deploy-mode", "cluster", "a.py")
    assert done.returncode == 2
    assert done.stderr.startswith(
        "sparkgap-submit: expected a driver on this host for a Python job, found --deploy-mode"
    )


def test_sparks_own_examples():
    """Unchanged, both ways; docs/accelerate.md has the table of all."""
    ours, theirs = (spark_examples.results(EXAMPLES, accelerated=way) for way in (True, False))
    for name in EXAMPLES:
        assert [native for _, native, _ in ours[name]["ways"]] == [True], name
        if name in spark_examples.DIFFERS:
            before = spark_examples.objective(theirs[name]["said"])
            assert before is None or spark_examples.objective(ours[name]["said"]) <= before, name
        else:
            assert spark_examples.furthest(ours[name]["said"], theirs[name]["said"]) < 1e-9, name


NOTEBOOK = """
import sparkgap
from pyspark.ml.clustering import KMeans
from pyspark.ml.linalg import Vectors
from pyspark.sql import SparkSession

def rows(spark):
    return spark.createDataFrame([(Vectors.dense(float(i)),) for i in (0, 1, 9, 10)], ["features"])

spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
sparkgap.install()
from pyspark.ml.clustering import KMeans
assert sorted(float(c[0]) for c in KMeans(k=2, seed=1).fit(rows(spark)).clusterCenters()) == [0.5, 9.5]
spark.stop()
spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
assert sorted(float(c[0]) for c in KMeans(k=2, seed=1).fit(rows(spark)).clusterCenters()) == [0.5, 9.5]

from graphframes import GraphFrame

v = spark.createDataFrame([(1,), (2,), (3,)], "id bigint")
g = GraphFrame(v, spark.createDataFrame([(1, 2), (2, 3)], "src bigint, dst bigint"))
assert isinstance(g.filterEdges("src = 1"), GraphFrame)
assert g.connectedComponents().select("component").distinct().count() == 1
try:
    g.find("(a)-[e]->(b)")
except Exception as e:
    assert not isinstance(e, RecursionError), "it came back to sparkgap's"
print(sparkgap.accelerate.report())
assert "<td>GraphFrame.connectedComponents</td><td>native</td>" in sparkgap.accelerate.report()._repr_html_()
sparkgap.uninstall()
import pyspark.ml.clustering
assert pyspark.ml.clustering.KMeans.__module__ == "pyspark.ml.clustering"
"""


def test_a_notebook():
    """A session that was there before keeps Spark's own; the next one is native."""
    lines = said(python("-c", NOTEBOOK))
    assert lines[0].startswith("sparkgap: estimators stay Spark's until spark.stop() and a new session: ")
    assert lines[1].startswith("sparkgap: imported before, and stays Spark's: KMeans. ")
    assert lines[2].startswith("sparkgap: KMeans stays Spark's: session: expected a Spark session with spark.plugins=")
    assert lines[3].startswith("sparkgap: KMeans native, ")
    assert any(line.startswith("sparkgap: GraphFrame.connectedComponents native, ") for line in lines), lines


CLIENT = """
import sparkgap
from pyspark.ml.classification import LogisticRegression, RandomForestClassifier
from pyspark.ml.linalg import Vectors

spark = sparkgap.session(
    remote="local[2]",
    conf={"spark.connect.ml.backend.classes": "org.sparkgap.ml.ConnectBackend", "spark.ui.enabled": "false"},
)
rows = spark.createDataFrame([(float(i % 2), Vectors.dense(float(i), float(i * i % 7))) for i in range(40)],
                             ["label", "features"])
for number, estimator in enumerate((LogisticRegression(regParam=0.1), RandomForestClassifier(numTrees=2, maxDepth=2))):
    word = f"{number:032x}"
    spark.addTag(f"sparkgap-fit-{word}")
    model = estimator.fit(rows)
    spark.removeTag(f"sparkgap-fit-{word}")
    assert model.transform(rows).count() == 40
    print([(r.kernel, r.engine) for r in spark.sql(f"CALL sparkgap.launch.fit(word => '{word}')").collect()])
    print(type(model).__name__, round(model.summary.accuracy, 1) >= 0.5)
spark.stop()
"""


def test_clients_of_a_connect_server():
    """They know nothing of sparkgap; the server was told to take its estimators."""
    done = python("-c", CLIENT)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.splitlines() == [
        "[('logreg', 'native')]",
        "LogisticRegressionModel True",
        "[]",
        "RandomForestClassificationModel True",
    ]
