# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`sparkgap.configure(builder)`: sessions that people make themselves."""

import pytest

import sparkgap

PLUGIN = "org.sparkgap.spark.SparkGapPlugin"
BASIC = {"spark.ui.enabled": "false", "spark.driver.host": "localhost", "spark.driver.bindAddress": "127.0.0.1"}


def builder(**conf):
    from pyspark.sql import SparkSession

    made = SparkSession.Builder().master("local[2]").appName("mine")
    for key, value in {**BASIC, **conf}.items():
        made = made.config(key, value)
    return made


def test_a_session_of_ones_own(own, store, tmp_path, monkeypatch):
    """It has the plugin beside what the builder and spark-defaults.conf name, and keeps its own name."""
    (tmp_path / "spark-defaults.conf").write_text(
        "spark.jars.ivySettings /nowhere\nspark.driver.extraClassPath /mine.jar\n"
    )
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    asked = builder(**{"spark.sparkgap.store.dir": store.path, "spark.sparkgap.launch.timeout": "77s"})
    spark = sparkgap.configure(asked).getOrCreate()
    conf = spark.sparkContext.getConf()
    assert conf.get("spark.app.name") == "mine"
    assert conf.get("spark.plugins") == PLUGIN
    assert conf.get("spark.driver.extraClassPath").startswith("/mine.jar:")
    assert conf.get("spark.sparkgap.launch.timeout") == "77s"
    edges = spark.createDataFrame([(1, 2), (2, 1), (3, 1)], "src bigint, dst bigint")
    assert sparkgap.graph.pagerank(edges).count() == 3
    assert sparkgap.configure(builder()).getOrCreate() is spark


def test_what_cannot_be_configured(own):
    from pyspark.sql import SparkSession

    with pytest.raises(sparkgap.ArgumentError, match="configure: expected a builder of a session of this process"):
        sparkgap.configure(SparkSession.Builder().config("spark.remote", "sc://host:15002"))
    plain = builder(**{"spark.plugins": ""}).getOrCreate()  # this JVM was started with ours
    try:
        with pytest.raises(sparkgap.ArgumentError, match="started without"):
            sparkgap.configure(builder())
    finally:
        plain.stop()
