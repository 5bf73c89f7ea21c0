# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Arguments that no public call can use, and inputs that fail when Spark computes them: what comes out is ours, or
pyspark's own, in one form.
"""

import os
import re
import shutil

import pytest
from pyspark.errors import AnalysisException, ArithmeticException, PySparkException, PythonException
from pyspark.sql import functions as F

import sparkgap
from sparkgap import ArgumentError, DataError, SparkGapError, graph, ml, mpi, store, tensor

FORM = re.compile(r"[^:\n]+: expected [^\n]+, found [^\n]*[^.\n]\. [A-Z][^\n]+[.)]")
A, D = ArgumentError, DataError

CASES = {
    "column": (D, lambda e, g: graph.pagerank(e, src="nope")),
    "column of two lines": (D, lambda e, g: graph.pagerank(e, src="no\nsuch")),
    "column that is a number": (A, lambda e, g: graph.pagerank(e, src=5)),
    "type of a parameter": (A, lambda e, g: graph.pagerank(e, damping="x")),
    "type of a column": (D, lambda e, g: graph.pagerank(e.selectExpr("cast(src AS double) src", "dst"))),
    "edges": (A, lambda e, g: graph.pagerank(5)),
    "edges by name": (A, lambda e, g: graph.pagerank("no_such")),
    "vertices": (A, lambda e, g: graph.pagerank(e, vertices=5)),
    "build": (A, lambda e, g: graph.build(5)),
    "build by name": (A, lambda e, g: graph.build("edges")),
    "build's name": (A, lambda e, g: graph.build(e, name="a b")),
    "sources": (A, lambda e, g: graph.pagerank(e, source_ids=5)),
    "source": (A, lambda e, g: graph.bfs(e, object())),
    "result": (A, lambda e, g: graph.pagerank(e, result="a b")),
    "result's type": (A, lambda e, g: graph.pagerank(e, result=7)),
    "load": (A, lambda e, g: graph.load("nope")),
    "load a number": (A, lambda e, g: graph.load(5)),
    "run": (A, lambda e, g: graph.run("/nope", e)),
    "run no vertex program": (A, lambda e, g: graph.run("/bin/true", e)),
    "ml": (D, lambda e, g: ml.kmeans(e, features=["nope"])),
    "ml's data": (A, lambda e, g: ml.kmeans(5)),
    "cpd": (D, lambda e, g: tensor.cpd(e, modes=["src", "dst"], value="nope")),
    "stat": (A, lambda e, g: store.stat("nope")),
    "rm": (A, lambda e, g: store.rm("nope")),
    "rm nothing": (A, lambda e, g: store.rm(None)),
    "publish": (A, lambda e, g: store.publish("nope", "ab")),
    "publish a number": (A, lambda e, g: store.publish(5, "ab")),
    "publish's name": (A, lambda e, g: store.publish(e, "a b")),
    "publish's durable": (A, lambda e, g: store.publish(e, "ab", durable="nofs://a/b")),
    "program": (A, lambda e, g: mpi.run("no_such_program")),
    "program's type": (A, lambda e, g: mpi.run(5)),
    "args": (A, lambda e, g: mpi.run("true", 5)),
    "args in one": (A, lambda e, g: mpi.run("true", "-n 5")),
    "inputs": (A, lambda e, g: mpi.run("true", inputs=[e])),
    "input": (A, lambda e, g: mpi.run("true", inputs={"a": 5})),
    "input's name": (A, lambda e, g: mpi.run("true", inputs={"a b": e})),
    "input's name as a number": (A, lambda e, g: mpi.run("true", inputs={5: e})),
    "input by name": (A, lambda e, g: mpi.run("true", inputs={"a": "no_such"})),
    "outputs": (A, lambda e, g: mpi.run("true", outputs={"a": 5})),
    "format": (A, lambda e, g: mpi.run("true", outputs={"a": "i int"}, formats={"a": "nope"})),
    "ranks": (A, lambda e, g: mpi.run("true", ranks="a")),
    "timeout": (A, lambda e, g: mpi.run("true", timeout="a")),
    "env": (A, lambda e, g: mpi.run("true", env=[1])),
    "logs": (A, lambda e, g: mpi.run("true", logs=5)),
    "GraphFrame": (A, lambda e, g: graph.GraphFrame(5, 6)),
    "maxIter": (A, lambda e, g: g.pageRank(maxIter="a")),
    "resetProbability": (A, lambda e, g: g.pageRank(resetProbability="a", maxIter=1)),
    "resetProbability above 1": (
        A,
        lambda e, g: g.parallelPersonalizedPageRank(resetProbability=2, sourceIds=[1], maxIter=1),
    ),
    "landmarks": (A, lambda e, g: g.shortestPaths(5)),
    "landmark that is a string": (A, lambda e, g: g.shortestPaths("12")),
    "landmark": (D, lambda e, g: g.shortestPaths([99])),
    "sourceIds": (A, lambda e, g: g.parallelPersonalizedPageRank(sourceIds=5, maxIter=1)),
    "scc": (A, lambda e, g: g.stronglyConnectedComponents("a")),
    "bfs": (A, lambda e, g: g.bfs("id = 1", "id = 2", maxPathLength="a")),
    "weightCol": (D, lambda e, g: g.sssp(1, "nope")),
    "CPD's data": (A, lambda e, g: tensor.CPD(modes=["src", "dst"], value="src").fit(5)),
    "estimator's data": (A, lambda e, g: _kmeans().fit(5)),
}


def _kmeans():
    from sparkgap.ml.clustering import KMeans

    return KMeans(k=2)


@pytest.fixture
def edges(spark):
    return spark.createDataFrame([(1, 2), (2, 1)], "src bigint, dst bigint")


@pytest.mark.parametrize("case", CASES)
def test_arguments(edges, store, case):
    cls, call = CASES[case]
    frame = graph.GraphFrame(edges.selectExpr("src AS id"), edges)
    before = store.files()
    with pytest.raises(SparkGapError) as error:
        call(edges, frame)
    frame.unpersist()
    assert type(error.value) is cls
    assert FORM.fullmatch(str(error.value)), str(error.value)
    assert store.files() == before


def test_a_graph_that_was_dropped(edges):
    with graph.build(edges) as g:
        pass
    for use in (g.pagerank, lambda: g.vertices):
        with pytest.raises(ArgumentError) as error:
            use()
        assert FORM.fullmatch(str(error.value)), str(error.value)


def test_what_spark_says_of_the_users_own_data_stays_sparks(spark, edges, tmp_path):
    boom = F.udf(lambda x: x // 0, "bigint")
    for bad, cls in [
        (edges.select(boom("src").alias("src"), "dst"), PythonException),
        (edges.selectExpr("src DIV (src - src) AS src", "dst"), ArithmeticException),
    ]:
        for call in (graph.pagerank, lambda e: mpi.run("true", inputs={"t": e})):
            with pytest.raises(cls):
                call(bad)
    with pytest.raises(AnalysisException, match="nope"):
        graph.GraphFrame(edges.selectExpr("src AS id"), edges).bfs("nope = 1", "id = 2")


def test_a_file_that_is_gone_is_no_exception_of_py4j(spark, edges, tmp_path):
    edges.write.parquet(str(tmp_path / "edges"))
    gone = spark.read.parquet(str(tmp_path / "edges"))
    shutil.rmtree(tmp_path / "edges")
    for call in (graph.pagerank, lambda e: mpi.run("true", inputs={"t": e}), lambda e: store.publish(e, "gone")):
        with pytest.raises((DataError, PySparkException)) as error:
            call(gone)
        if isinstance(error.value, SparkGapError):
            assert FORM.fullmatch(str(error.value))
            assert error.value.__cause__ is not None
        assert any(
            said in str(error.value) for said in ("FILE_NOT_EXIST", "PATH_NOT_FOUND")
        )  # found by a task, or planned anew (Connect)


def test_a_result_whose_files_are_gone(spark, edges):
    """It is the user's own collect() that fails; the text is ours, and translate finds it. Where one of our calls reads
    it, it comes as it is.
    """
    ranks = graph.pagerank(edges, result="gone")
    for segment in store.stat("gone"):
        os.unlink(segment["path"])
    with pytest.raises(Exception) as error:
        ranks.collect()
    found = sparkgap.errors.translate(error.value)
    assert type(found) is DataError and FORM.fullmatch(str(found)), str(error.value)
    with pytest.raises(DataError) as error:
        graph.pagerank(ranks.selectExpr("id AS src", "id AS dst"))
    assert FORM.fullmatch(str(error.value))
    store.rm("gone")
