# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Graph kernels on DataFrames of edges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from .call import call
from .session import active

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Engine = Literal["native", "spark"]


def pagerank(
    edges: DataFrame,
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
    edges : DataFrame
        One row per edge; duplicates and self-loops count.
    src, dst : str
        Columns of `edges` with the ids: both of an integer type or both strings, without nulls.
    weight : str, optional
        Column of `edges` with the weights: finite and at least 0.
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
    parameters = {
        "src": src,
        "dst": dst,
        "weight": weight,
        "directed": directed,
        "damping": damping,
        "max_iterations": max_iterations,
        "tolerance": tolerance,
        "variant": variant,
        "source_ids": source_ids,
    }
    inputs = {"edges": edges, "vertices": vertices}
    return call(
        "pagerank", "graph", inputs, parameters, spark=edges.sparkSession,
        engine=engine, ranks=ranks, threads=threads, timeout_s=timeout_s, result=result, progress=progress,
    )  # fmt: skip


def degree(
    edges: DataFrame,
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
    edges : DataFrame
        One row per edge; duplicates and self-loops count.
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
    parameters = {"src": src, "dst": dst, "directed": directed}
    inputs = {"edges": edges, "vertices": vertices}
    return call(
        "degree", "graph", inputs, parameters, spark=edges.sparkSession,
        engine=engine, ranks=ranks, threads=threads, timeout_s=timeout_s, result=result, progress=progress,
    )  # fmt: skip


def rmat(
    *,
    scale: int = 18,
    edge_factor: int = 16,
    seed: int = 1,
    a: float = 0.57,
    b: float = 0.19,
    c: float = 0.19,
    engine: Engine = "native",
    ranks: int | None = None,
    threads: int | None = None,
    timeout_s: float | None = None,
    result: str | None = None,
    progress: bool | None = None,
    spark: SparkSession | None = None,
) -> DataFrame:
    """A random graph with the skew of real ones, the same for the same seed.

    Parameters
    ----------
    scale : int
        log2 of the number of vertices, in [1, 31].
    edge_factor : int
        Edges per vertex; the graph has `edge_factor * 2**scale` rows.
    seed : int
        Of the random numbers.
    a, b, c : float
        Chances of three of the four quadrants; Graph500's by default.
    engine, ranks, threads, timeout_s, result, progress
        As for `pagerank`.
    spark : SparkSession, optional
        The active one by default.

    Returns
    -------
    DataFrame
        `src: bigint`, `dst: bigint` in [0, 2**scale), shuffled labels; duplicates and self-loops occur.

    Raises
    ------
    ArgumentError, ResourceError, LaunchError
        As for `pagerank`.

    Notes
    -----
    Random numbers come from a counter, so the rows and their order do not depend on ranks x threads.

    References
    ----------
    Chakrabarti, Zhan, Faloutsos, "R-MAT: a recursive model for graph mining", 2004; Graph500 specification.

    Examples
    --------
    >>> rmat(scale=4, edge_factor=8, seed=7).count()
    128
    """
    parameters = {"scale": scale, "edge_factor": edge_factor, "seed": seed, "a": a, "b": b, "c": c}
    return call(
        "rmat", "graph", {}, parameters, spark=spark or active(),
        engine=engine, ranks=ranks, threads=threads, timeout_s=timeout_s, result=result, progress=progress,
    )  # fmt: skip
