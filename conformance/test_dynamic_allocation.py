# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Executors that Spark starts and ends as it needs them: jobs find them, and keep those that hold their tables."""

import shutil
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from cluster.problem import PATIENCE
from conftest import CONF, nothing_left, wait_for
from faults import Scene, Work, named, struck
from faults.faults import SILENCE_S
from faults.work import SHORT

import sparkgap

ITERATIONS = 4000
IDLE_S = 6


@pytest.fixture
def spark(own, cluster, store, monkeypatch):
    conf = {key: value for key, value in CONF.items() if not key.startswith("spark.driver.")}
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    made = sparkgap.session(
        cluster.master,
        conf={
            **conf,
            **cluster.settings,
            "spark.sparkgap.store.dir": str(store.path),
            "spark.sparkgap.launch.silence": f"{int(SILENCE_S * PATIENCE)}s",
            "spark.default.parallelism": len(cluster.hosts) * cluster.cores,
            "spark.dynamicAllocation.enabled": "true",
            "spark.dynamicAllocation.initialExecutors": len(cluster.hosts),
            "spark.dynamicAllocation.maxExecutors": len(cluster.hosts),
            "spark.dynamicAllocation.executorIdleTimeout": f"{IDLE_S}s",
        },
    )
    yield made
    made.stop()
    nothing_left(cluster)


def hosts(spark):
    """Of the living executors; the driver is none."""
    status = spark.sparkContext._jsc.sc().getExecutorMemoryStatus()
    jvm = spark.sparkContext._jvm
    known = jvm.scala.jdk.javaapi.CollectionConverters.asJava(status.keySet())
    return {str(address).rpartition(":")[0] for address in known} - {spark.conf.get("spark.driver.host")}


def test_executors_stay_while_they_hold_a_table(spark):
    work = Work(spark)

    def right(edges):
        found = sparkgap.graph.pagerank(edges, max_iterations=SHORT, threads=1, result="ranks")
        said = work.wrong(found, SHORT)
        spark.sql("DROP TABLE sparkgap.store.ranks")
        return said == ""

    with sparkgap.graph.build(work.edges(), name="held", threads=1) as graph:
        holders = {segment["host"] for segment in sparkgap.store.stat("held") if segment["rows"] > 0}
        assert right(graph)
        time.sleep(3 * IDLE_S)
        assert holders <= hosts(spark), "for three times as long as an idle one may stay"
        assert right(graph)
    wait_for("all executors to go", lambda: not hosts(spark), 20 * IDLE_S, lambda: hosts(spark))
    assert right(work.edges()), "Spark starts others"


def test_jobs_at_once_and_what_ends_them(spark, cluster, store):
    """They gather one after the other, so that no two wait for each other."""
    work = Work(spark)
    edges = work.edges()

    def job():
        return work.wrong(sparkgap.graph.pagerank(edges, max_iterations=SHORT, threads=1), SHORT)

    with ThreadPoolExecutor(4) as pool:
        found = [pool.submit(job) for _ in range(8)]
        assert [done.result(timeout=150 * PATIENCE) for done in found] == [""] * 8
    work.iterations["native"] = ITERATIONS
    for name in ("rank", "cancel"):
        outcome = struck(lambda: Scene(cluster, spark, store.path), named(name), work)
        assert outcome.came == named(name).comes, outcome
        assert outcome.problems == [], outcome
        assert outcome.proof, outcome


def test_an_executor_that_dies(spark, cluster, store):
    """The job is tried again on what there is; Spark need not start another executor there."""
    work = Work(spark)
    edges = work.edges()

    def job():
        return work.wrong(sparkgap.graph.pagerank(edges, max_iterations=ITERATIONS, threads=1), ITERATIONS)

    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(job)
        host, executor = wait_for(
            "ranks on a host",
            lambda: next(
                (
                    (cluster.host(found.host), found.pid)
                    for found in cluster.executors()
                    if cluster.host(found.host).pids("sparkgap-pagerank")
                ),
                None,
            ),
        )
        assert not running.done()
        host.kill(executor)
        assert running.result(timeout=150 * PATIENCE) == ""
    wait_for("the end of the dead executor's ranks", lambda: not host.pids("sparkgap-"))
    spark.stop()
    wait_for("all executors to end", lambda: not cluster.executors())
    # Its files go with the next executor of the host, which may never come.
    shutil.rmtree(host.root / store.path.relative_to("/"))
