# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""From one vertex to all others: hops and distances."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from .origin import Engine, call_on

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from .stored_graph import Graph


def bfs(
    edges: DataFrame | Graph | str,
    source: int | str,
    *,
    src: str = "src",
    dst: str = "dst",
    vertices: DataFrame | None = None,
    directed: bool = True,
    variant: Literal["graphx", "ldbc"] = "graphx",
    engine: Engine = "native",
    ranks: int | None = None,
    threads: int | None = None,
    timeout_s: float | None = None,
    result: str | None = None,
    progress: bool | None = None,
) -> DataFrame:
    """Hops from one vertex to every vertex: the least number of edges on a path.

    Parameters
    ----------
    edges : DataFrame, Graph or str
        One row per edge; duplicates and self-loops do no harm. Or a graph that `build` made, or its name.
    source : int or str
        Id of the vertex where paths start.
    src, dst : str
        Columns of `edges` with the ids: both of an integer type or both strings, without nulls.
    vertices : DataFrame, optional
        A table with a column `id`, so that vertices without edges are in the result.
    directed : bool
        False: each row stands for both directions.
    variant : {"graphx", "ldbc"}
        The level where no path leads: null, or 9223372036854775807 as LDBC Graphalytics writes it.
    engine, ranks, threads, timeout_s, result, progress
        As for `pagerank`.

    Returns
    -------
    DataFrame
        `id: bigint` (or string, as the input), `level: bigint`; 0 at the source.

    Raises
    ------
    ArgumentError, DataError, ResourceError, LaunchError
        As for `pagerank`; DataError also where `source` is no vertex.

    Notes
    -----
    level(v) = 1 + min over edges u -> v of level(u); time O(edges) at most. Edges are followed in their direction; for
    hops *to* a vertex swap `src` and `dst`. The same result for every ranks x threads.

    References
    ----------
    Beamer, Asanovic, Patterson, "Direction-optimizing breadth-first search", 2012; LDBC Graphalytics specification.

    Examples
    --------
    >>> edges = spark.createDataFrame([(1, 2), (2, 3), (4, 1)], "src bigint, dst bigint")
    >>> [tuple(r) for r in bfs(edges, source=1).orderBy("id").collect()]
    [(1, 0), (2, 1), (3, 2), (4, None)]
    """
    return call_on("bfs", locals())


def sssp(
    edges: DataFrame | Graph | str,
    source: int | str,
    *,
    src: str = "src",
    dst: str = "dst",
    weight: str | None = None,
    vertices: DataFrame | None = None,
    directed: bool = True,
    delta: float | None = None,
    engine: Engine = "native",
    ranks: int | None = None,
    threads: int | None = None,
    timeout_s: float | None = None,
    result: str | None = None,
    progress: bool | None = None,
) -> DataFrame:
    """Distance from one vertex to every vertex: the least sum of weights on a path.

    Parameters
    ----------
    edges : DataFrame, Graph or str
        One row per edge; of several between two vertices the lightest counts. Or a graph that `build` made, or its
        name.
    source : int or str
        Id of the vertex where paths start.
    src, dst : str
        Columns of `edges` with the ids: both of an integer type or both strings, without nulls.
    weight : str, optional
        Column of `edges` with the weights: finite and at least 0; without one every edge has the length 1. A graph that
        was built with weights uses them without being told.
    vertices : DataFrame, optional
        A table with a column `id`, so that vertices without edges are in the result.
    directed : bool
        False: each row stands for both directions.
    delta : float, optional
        Width of the steps in which distances are settled, over 0; changes only the time. By default it follows from
        weights and degrees.
    engine, ranks, threads, timeout_s, result, progress
        As for `pagerank`.

    Returns
    -------
    DataFrame
        `id: bigint` (or string, as the input), `distance: double`; 0 at the source, infinity where no path leads.

    Raises
    ------
    ArgumentError, DataError, ResourceError, LaunchError
        As for `pagerank`; DataError also where `source` is no vertex.

    Notes
    -----
    distance(v) = min over edges u -> v of distance(u) + weight; edges are followed in their direction. The same result,
    bit by bit, for every ranks x threads.

    References
    ----------
    Meyer, Sanders, "Delta-stepping: a parallelizable shortest path algorithm", 2003; LDBC Graphalytics specification.

    Examples
    --------
    >>> edges = spark.createDataFrame([(1, 2, 5.0), (1, 3, 1.0), (3, 2, 1.5)], "src bigint, dst bigint, km double")
    >>> [tuple(r) for r in sssp(edges, source=1, weight="km").orderBy("id").collect()]
    [(1, 0.0), (2, 2.5), (3, 1.0)]
    """
    return call_on("sssp", locals())
