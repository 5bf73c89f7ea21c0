# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""All shortest paths between two sets of vertices, as rows of vertices and edges: what GraphFrames calls `bfs`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from ..kernels import bfs
from .columns import condition, field, nested

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from ..stored_graph import Graph


def shortest_routes(
    vertices: DataFrame,
    edges: DataFrame,
    start: str | Column,
    end: str | Column,
    *,
    most: int,
    built: Callable[[], Graph] | None = None,
) -> DataFrame:
    """The paths with the fewest edges from any vertex where `start` holds to any where `end` holds.

    Parameters
    ----------
    vertices, edges : DataFrame
        With the columns `id`, and `src` and `dst`.
    start, end : str or Column
        Conditions on the columns of `vertices`.
    most : int
        The most edges that a path may have.
    built : callable, optional
        Gives the stored graph of these vertices and edges, where there is one.

    Returns
    -------
    DataFrame
        `from, e0, v1, e1, ..., to`, structs with the columns of `vertices` and `edges`; `from, to` for a path without
        edges; the columns of `vertices` and no rows where there is no path.

    Notes
    -----
    The native `bfs` counts the hops from the start; what remains are joins from the end backwards, each to the vertices
    that are one hop nearer. So no path is followed that does not arrive, and no vertex is on a path twice.

    Examples
    --------
    >>> v = spark.createDataFrame([(1,), (2,), (3,)], "id bigint")
    >>> e = spark.createDataFrame([(1, 2), (2, 3), (1, 1)], "src bigint, dst bigint")
    >>> paths = shortest_routes(v, e, "id = 1", "id = 3", most=10)
    >>> paths.columns, paths.select("from.id", "e0.dst", "e1.dst").collect()
    (['from', 'e0', 'v1', 'e1', 'to'], [Row(id=1, dst=2, dst=3)])
    """
    starts, ends = vertices.where(condition(start)), vertices.where(condition(end))
    both = starts.where(condition(end))
    if not both.isEmpty():
        return nested(both, "from").select("from", field("from").alias("to"))
    first = [row[0] for row in starts.select("id").distinct().limit(2).collect()]
    if not first or most == 0:
        return vertices.limit(0)
    if len(first) == 1 and built is not None:
        levels = bfs(built(), first[0])
    else:
        levels = bfs(_merged(edges, starts, first[0]), first[0], vertices=vertices)
    reached = levels.where("level is not null")
    length = ends.select("id").join(reached, "id").agg(F.min("level")).collect()[0][0]
    if length is None or length > most:
        return vertices.limit(0)
    return _backwards(vertices, edges, starts, ends, reached, length)


def _merged(edges: DataFrame, starts: DataFrame, one: object) -> DataFrame:
    """The edges, where those that leave any start leave `one` of them: hops from it are hops from the nearest start."""
    ids = starts.select(field("id").alias("src"), F.lit(True).alias("is_start")).distinct()
    src = F.when(F.col("is_start"), F.lit(one)).otherwise(F.col("src"))
    return (
        edges.select("src", "dst")
        .join(ids, "src", "left")
        .select(src.cast(edges.schema["src"].dataType).alias("src"), "dst")
    )


def _backwards(
    vertices: DataFrame, edges: DataFrame, starts: DataFrame, ends: DataFrame, reached: DataFrame, length: int
) -> DataFrame:
    """The paths of that length, one join per edge from the ends to the starts; `here` is where a path has come to."""

    def at(level: int) -> DataFrame:
        return reached.where(F.col("level") == level).select("id")

    paths = nested(ends.join(at(length), "id", "left_semi"), "to", here="id")
    for i in reversed(range(length)):
        before = (
            nested(vertices.join(at(i), "id", "left_semi"), f"v{i}", before="id")
            if i
            else nested(starts, "from", before="id")
        )
        paths = paths.join(nested(edges, f"e{i}", before="src", here="dst"), "here").drop("here")
        paths = paths.join(before, "before").withColumnRenamed("before", "here")
    between = [name for i in range(1, length) for name in (f"v{i}", f"e{i}")]
    return paths.select("from", "e0", *between, "to")
