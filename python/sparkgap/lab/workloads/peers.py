# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What Spark has of its own, in a jar of the source tree: GraphX, whose results are left to Spark, and OptSpark
(M. Anderson et al., PVLDB 10(8), 2017, section 5.2), products of matrix and vector by native code in Spark's tasks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_EDGES, _RESULT = "lab_edges", "lab_result"


def graphx(kernel: str, edges: DataFrame, **parameters: Any) -> tuple[DataFrame, dict[str, float]]:
    """What GraphX has for a kernel, and seconds by what they went into."""
    edges.createOrReplaceTempView(_EDGES)
    given = {name: str(value) if name == "source" else value for name, value in parameters.items()}
    parts = dict(_jvm(edges.sparkSession).GraphxResult.named(kernel, _EDGES, given, _RESULT))
    return edges.sparkSession.table(_RESULT), parts


def optspark_pagerank(edges: DataFrame, iterations: int) -> tuple[DataFrame, dict[str, float]]:
    """Ranks, and seconds by what they went into."""
    edges.createOrReplaceTempView(_EDGES)
    parts = dict(_jvm(edges.sparkSession).optspark.OptSpark.pagerank(_EDGES, iterations, _RESULT))
    return edges.sparkSession.table(_RESULT), parts


def optspark_sssp(edges: DataFrame, source: int) -> tuple[DataFrame, dict[str, float]]:
    """Distances, and seconds by what they went into."""
    edges.createOrReplaceTempView(_EDGES)
    parts = dict(_jvm(edges.sparkSession).optspark.OptSpark.sssp(_EDGES, source, _RESULT))
    return edges.sparkSession.table(_RESULT), parts


def moves(spark: SparkSession, down: Sequence[int], up: Sequence[int], iterations: int) -> dict[str, float]:
    """Seconds of no more than the vectors' ways: `down` doubles to each task, `up` back from each, for each kind of
    step.
    """
    gateway = spark.sparkContext._gateway
    assert gateway is not None
    both = [gateway.new_array(gateway.jvm.int, len(each)) for each in (down, up)]
    for array, values in zip(both, (down, up), strict=True):
        for n, value in enumerate(values):
            array[n] = value
    return dict(_jvm(spark).optspark.OptSpark.movesOnly(*both, iterations))


def _jvm(spark: SparkSession) -> Any:
    gateway = spark.sparkContext._gateway
    assert gateway is not None
    return gateway.jvm.org.sparkgap.peers
