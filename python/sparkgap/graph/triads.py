# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What three vertices make: triangles, and how closed a neighbourhood is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .origin import Engine, call_on

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from .stored_graph import Graph


def lcc(
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
    """Local clustering coefficient: how many of the pairs of a vertex's neighbours are joined by an edge.

    Parameters
    ----------
    edges : DataFrame, Graph or str
        One row per edge; duplicates and self-loops do no harm. Or a graph that `build` made, or its name.
    src, dst : str
        Columns of `edges` with the ids: both of an integer type or both strings, without nulls.
    vertices : DataFrame, optional
        A table with a column `id`, so that vertices without edges are in the result.
    directed : bool
        False: each row stands for both directions.
    engine, ranks, threads, timeout_s, result, progress
        As for `pagerank`.

    Returns
    -------
    DataFrame
        `id: bigint` (or string, as the input), `lcc: double` in [0, 1]; 0 with fewer than two neighbours.

    Raises
    ------
    ArgumentError, DataError, ResourceError, LaunchError
        As for `pagerank`.

    Notes
    -----
    lcc(v) = edges between neighbours of v / (d * (d - 1)), where d is the number of its neighbours, whatever the
    direction, each once; edges between them count by direction. The same result for every ranks x threads.

    References
    ----------
    Watts, Strogatz, "Collective dynamics of small-world networks", 1998; LDBC Graphalytics specification.

    Examples
    --------
    >>> edges = spark.createDataFrame([(1, 2), (2, 3), (3, 1), (3, 4)], "src bigint, dst bigint")
    >>> [(r.id, round(r.lcc, 3)) for r in lcc(edges, directed=False).orderBy("id").collect()]
    [(1, 1.0), (2, 1.0), (3, 0.333), (4, 0.0)]
    """
    return call_on("lcc", locals())


def triangles(
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
    """Triangles at each vertex: sets of three vertices, each pair of which is joined by an edge.

    Parameters
    ----------
    edges : DataFrame, Graph or str
        One row per edge; duplicates and self-loops do no harm. Or a graph that `build` made, or its name.
    src, dst : str
        Columns of `edges` with the ids: both of an integer type or both strings, without nulls.
    vertices : DataFrame, optional
        A table with a column `id`, so that vertices without edges are in the result.
    directed : bool
        False: each row stands for both directions.
    engine, ranks, threads, timeout_s, result, progress
        As for `pagerank`.

    Returns
    -------
    DataFrame
        `id: bigint` (or string, as the input), `count: bigint`: triangles that the vertex is part of.

    Raises
    ------
    ArgumentError, DataError, ResourceError, LaunchError
        As for `pagerank`.

    Notes
    -----
    Directions do not count, nor how many edges join a pair; the counts of a graph sum to three times its triangles. The
    same result for every ranks x threads.

    References
    ----------
    Schank, Wagner, "Finding, counting and listing all triangles in large graphs", 2005.

    Examples
    --------
    >>> edges = spark.createDataFrame([(1, 2), (2, 3), (3, 1), (3, 4)], "src bigint, dst bigint")
    >>> [tuple(r) for r in triangles(edges).orderBy("id").collect()]
    [(1, 1), (2, 1), (3, 1), (4, 0)]
    """
    return call_on("triangles", locals())
