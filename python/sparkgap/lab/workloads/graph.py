# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Workloads on a graph: from edges that are cached and counted to a result that is: by GraphX, OptSpark, or sparkgap's
ranks.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from . import peers

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from ..application import Request


def pagerank(spark: SparkSession, request: Request) -> None:
    """Of all vertices, with as many iterations as are said."""
    edges = _edges(spark, request)
    if request.engine == "optspark":
        request.begin()
        _end(request, *peers.optspark_pagerank(edges, request.iterations))
    elif request.engine == "moves":
        n = edges.select("src").union(edges.select("dst")).distinct().count()
        piece = n // spark.sparkContext.defaultParallelism
        request.begin()
        request.add_parts(peers.moves(spark, [n], [piece], request.iterations))
    else:
        _call(edges, request, "pagerank", max_iterations=request.iterations)


def components(spark: SparkSession, request: Request) -> None:
    """Which vertices are joined by paths."""
    _call(_edges(spark, request), request, "components")


def cdlp(spark: SparkSession, request: Request) -> None:
    """Communities by label propagation."""
    _call(_edges(spark, request), request, "labelprop", max_iterations=request.iterations)


def sssp(spark: SparkSession, request: Request) -> None:
    """Least number of edges from the vertex that most edges leave."""
    edges = _edges(spark, request)
    hub = edges.groupBy("src").count().orderBy("count", "src", ascending=[False, True]).first()
    assert hub is not None
    if request.engine == "optspark":
        request.begin()
        _end(request, *peers.optspark_sssp(edges, hub.src))
    else:
        _call(edges, request, "sssp", source=hub.src)


def graphload(spark: SparkSession, request: Request) -> None:
    """An edge list becomes a graph: read as text, or where it was published in the store."""
    import sparkgap

    edges = spark.read.csv(request.input, sep=" ", schema="src bigint, dst bigint")
    name = f"lab_{os.getpid()}"
    if request.tables == "published":
        sparkgap.store.publish(edges, name)
        request.begin()
        edges = spark.read.format("sparkgap").load(f"published.{name}")
    sparkgap.graph.build(edges, progress=False).drop()
    if request.tables == "published":
        sparkgap.store.rm(f"published.{name}")


def _edges(spark: SparkSession, request: Request) -> DataFrame:
    edges = spark.read.parquet(request.input).cache()
    edges.count()
    return edges


def _call(edges: DataFrame, request: Request, name: str, **parameters: Any) -> None:
    import sparkgap

    request.begin()
    if request.engine == "sparkgap":
        _end(request, getattr(sparkgap.graph, name)(edges, progress=False, **parameters), {})
    else:
        _end(request, *peers.graphx(name, edges, **parameters))


def _end(request: Request, result: DataFrame, parts: dict[str, float]) -> None:
    request.add_parts(parts)
    result.cache().count()
    request.computed()
    result.agg({result.columns[1]: "sum"}).collect()
