# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""How much each vertex counts: PageRank and degrees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from .origin import Engine, call_on

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from .stored_graph import Graph


def pagerank(
    edges: DataFrame | Graph | str,
    *,
    src: str = "src",
    dst: str = "dst",
    weight: str | None = None,
    vertices: DataFrame | None = None,
    directed: bool = True,
    damping: float = 0.85,
    max_iterations: int = 20,
    tolerance: float | None = None,
    variant: Literal["graphx", "ldbc"] = "graphx",
    source_ids: Sequence[int | str] | None = None,
    engine: Engine = "native",
    ranks: int | None = None,
    threads: int | None = None,
    timeout_s: float | None = None,
    result: str | None = None,
    progress: bool | None = None,
) -> DataFrame:
    """PageRank of every vertex.

    Parameters
    ----------
    edges : DataFrame, Graph or str
        One row per edge; duplicates and self-loops count. Or a graph that `build` made, or its name: then `src`, `dst`,
        `vertices` and `directed` are those that it was built with.
    src, dst : str
        Columns of `edges` with the ids: both of an integer type or both strings, without nulls.
    weight : str, optional
        Column of `edges` with the weights: finite and at least 0; beside a graph the one that its weights came from.
        Without it every edge counts the same.
    vertices : DataFrame, optional
        A table with a column `id`, so that vertices without edges are in the result.
    directed : bool
        False: each row stands for both directions.
    damping : float
        Chance to follow an edge, in [0, 1].
    max_iterations : int
        At least 0.
    tolerance : float, optional
        Stop when no rank changes by more than this; over 0.
    variant : {"graphx", "ldbc"}
        `graphx`: as Spark's GraphX and GraphFrames, ranks sum to the number of vertices. `ldbc`: as LDBC Graphalytics,
        ranks sum to 1 and the rank of vertices without out-edges is spread over all.
    source_ids : sequence of int or str, optional
        Personalised: the walk restarts at these vertices.
    engine : {"native", "spark"}
        Native ranks, or Spark's own GraphX on the same input.
    ranks, threads : int, optional
        MPI ranks, and threads of each; by default one rank with the cores that Spark has.
    timeout_s : float, optional
        Deadline of the call in seconds.
    result : str, optional
        Name of the result table in `sparkgap.store`.
    progress : bool, optional
        A progress bar on stderr; by default where that is a terminal.

    Returns
    -------
    DataFrame
        `id: bigint` (or string, as the input), `pagerank: double`; its attribute `sparkgap` is the `Call`.

    Raises
    ------
    ArgumentError
        A parameter is out of its range, or there are more ranks than edges.
    DataError
        A column is missing or of a wrong type; nulls; a weight that is NaN, infinite or negative; no edges at all.
    ResourceError
        The store has no room.
    LaunchError
        A rank died or could not be started, or the deadline passed.

    Notes
    -----
    r(v) = (1 - d) + d * sum over edges u -> v of r(u) / outdegree(u) (graphx, then scaled);
    time O(edges * iterations); the same result within 1e-12 for every ranks x threads.
    No convergence is no error: read `df.sparkgap.converged`, `.iterations`, `.residual`.

    References
    ----------
    Page, Brin, Motwani, Winograd, "The PageRank citation ranking", 1999; LDBC Graphalytics specification, section 2.3.

    Examples
    --------
    >>> edges = spark.createDataFrame([(1, 2), (2, 1), (3, 1)], "src bigint, dst bigint")
    >>> ranks = pagerank(edges, max_iterations=30)
    >>> [(r.id, round(r.pagerank, 2)) for r in ranks.orderBy("id").collect()]
    [(1, 1.46), (2, 1.39), (3, 0.15)]
    """
    return call_on("pagerank", locals())


def degree(
    edges: DataFrame | Graph | str,
    *,
    src: str = "src",
    dst: str = "dst",
    vertices: DataFrame | None = None,
    directed: bool = True,
    engine: Engine = "native",
    ranks: int | None = None,
    threads: int | None = None,
    timeout_s: float | None = None,
    result: str | None = None,
    progress: bool | None = None,
) -> DataFrame:
    """In-degree, out-degree and their sum of every vertex.

    Parameters
    ----------
    edges : DataFrame, Graph or str
        One row per edge; duplicates and self-loops count. Or a graph that `build` made, or its name.
    src, dst : str
        Columns of `edges` with the ids: both of an integer type or both strings, without nulls.
    vertices : DataFrame, optional
        A table with a column `id`, so that vertices without edges are in the result with zeros.
    directed : bool
        False: each row stands for both directions.
    engine, ranks, threads, timeout_s, result, progress
        As for `pagerank`.

    Returns
    -------
    DataFrame
        `id: bigint` (or string), `in_degree: bigint`, `out_degree: bigint`, `degree: bigint`.

    Raises
    ------
    ArgumentError, DataError, ResourceError, LaunchError
        As for `pagerank`.

    Notes
    -----
    Time O(edges); the result is the same for every ranks x threads.

    Examples
    --------
    >>> edges = spark.createDataFrame([(1, 2), (2, 1), (3, 1)], "src bigint, dst bigint")
    >>> [tuple(r) for r in degree(edges).orderBy("id").collect()]
    [(1, 2, 1, 3), (2, 1, 1, 2), (3, 0, 1, 1)]
    """
    return call_on("degree", locals())
