# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What Spark's own tools show of sparkgap: plans, metrics and log lines (docs/spark-tools.md)."""

import contextlib
import io
import json
import re
import urllib.request

import pytest
from conftest import CONF
from pyspark.sql import functions as F

import sparkgap
from sparkgap import SparkGapError

PLUGIN = "plugin.org.sparkgap.spark.SparkGapPlugin."


@pytest.fixture
def spark(own, store):
    sink = "spark.metrics.conf.*.sink.prometheusServlet"
    return sparkgap.session(
        "local[2]",
        conf={
            **CONF,
            "spark.sparkgap.store.dir": str(store.path),
            "spark.ui.enabled": "true",
            "spark.ui.port": "0",
            f"{sink}.class": "org.apache.spark.metrics.sink.PrometheusServlet",
            f"{sink}.path": "/metrics/prometheus",
        },
    )


def explained(frame, mode="simple"):
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        frame.explain(mode=mode)
    return said.getvalue()


def page(spark, path):
    with urllib.request.urlopen(spark.sparkContext.uiWebUrl + path, timeout=30) as answer:
        return answer.read().decode()


def metrics(spark):
    """{name: its fields} of the plug-in's, from Spark's page in JSON."""
    found = json.loads(page(spark, "/metrics/json/"))
    every = {**found["gauges"], **found["counters"], **found["timers"]}
    return {name.partition(PLUGIN)[2]: fields for name, fields in every.items() if ".driver." + PLUGIN in name}


def test_plans_and_metrics(spark):
    kept = spark.range(1000).withColumn("b", F.col("id") * 2).cache()
    other = spark.range(9).withColumn("v", F.expr("make_interval(1)")).cache()
    assert kept.where("id > 5").count() == 994 and other.count() == 9
    for mode in ("simple", "formatted"):
        assert "InMemoryTableScan (sparkgap: in the store)" in explained(
            kept.where("id > 5").groupBy("b").count(), mode
        )
        assert "InMemoryTableScan (sparkgap: not in the store, which keeps no interval: v)" in explained(other, mode)
    kept.createOrReplaceTempView("kept")
    spark.sql("CACHE TABLE twice AS SELECT b, b + b AS c FROM kept")
    assert "Scan In-memory table twice (sparkgap: in the store)" in explained(spark.table("twice"))
    assert spark.table("twice").where("c = 8").count() == 1
    assert [r[0] for r in spark.sql("SELECT b FROM twice JOIN kept USING (b) WHERE id < 3 ORDER BY b").collect()] == [
        0,
        2,
        4,
    ]

    edges = spark.createDataFrame([(1, 2), (2, 3)], "src bigint, dst bigint")
    before = metrics(spark)
    assert before["calls"]["count"] == before["calls.failed"]["count"] == 0
    ranks = sparkgap.graph.pagerank(edges)
    assert re.search(
        r"sparkgap.store.pagerank\S* \[id, pagerank\], mapped from the store: 1 segments, 3 rows", explained(ranks)
    )
    with pytest.raises(SparkGapError):
        sparkgap.graph.bfs(edges, 77)
    after, call = metrics(spark), sparkgap.last_call()
    assert (after["calls"]["count"], after["calls.failed"]["count"], after["calls.running"]["count"]) == (2, 1, 0)
    assert after["calls.export.seconds"]["value"] == pytest.approx(call.phases["export_s"])
    assert after["calls.copied.bytes"]["count"] == call.bytes_copied > 0
    assert after["store.memory.bytes"]["value"] > before["store.memory.bytes"]["value"] > 0
    assert re.search(r"SparkGapPlugin_calls_failed_Count\S* 1$", page(spark, "/metrics/prometheus"), re.MULTILINE)
