# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Groups of vertices: connected components, of either kind, and communities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from .origin import Engine, call_on

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from .stored_graph import Graph


def components(
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
    """Connected components: which vertices are joined by paths, whatever the direction of the edges.

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
        `id: bigint` (or string, as the input), `component`: of the same type, the smallest id in the component.

    Raises
    ------
    ArgumentError, DataError, ResourceError, LaunchError
        As for `pagerank`.

    Notes
    -----
    Directions do not count: these are weakly connected components. Strings compare by their UTF-8 bytes. The same
    result for every ranks x threads.

    References
    ----------
    Sutton, Ben-Nun, Barak, "Optimizing parallel graph connectivity computation via subgraph sampling", 2018;
    LDBC Graphalytics specification.

    Examples
    --------
    >>> edges = spark.createDataFrame([(2, 1), (2, 3), (5, 4)], "src bigint, dst bigint")
    >>> [tuple(r) for r in components(edges).orderBy("id").collect()]
    [(1, 1), (2, 1), (3, 1), (4, 4), (5, 4)]
    """
    return call_on("components", locals())


def labelprop(
    edges: DataFrame | Graph | str,
    *,
    src: str = "src",
    dst: str = "dst",
    vertices: DataFrame | None = None,
    directed: bool = True,
    max_iterations: int = 10,
    variant: Literal["graphx", "ldbc"] = "graphx",
    engine: Engine = "native",
    ranks: int | None = None,
    threads: int | None = None,
    timeout_s: float | None = None,
    result: str | None = None,
    progress: bool | None = None,
) -> DataFrame:
    """Communities by label propagation: each vertex takes the label that most of its neighbours have, again and again.

    Parameters
    ----------
    edges : DataFrame, Graph or str
        One row per edge; duplicates and self-loops count. Or a graph that `build` made, or its name.
    src, dst : str
        Columns of `edges` with the ids: both of an integer type or both strings, without nulls.
    vertices : DataFrame, optional
        A table with a column `id`, so that vertices without edges are in the result.
    directed : bool
        False: each row stands for both directions.
    max_iterations : int
        Iterations, at least 0; fewer where nothing changes any more.
    variant : {"graphx", "ldbc"}
        Of equally frequent labels `ldbc` takes the smallest, as LDBC Graphalytics; GraphX takes any, which is here the
        smallest, too.
    engine, ranks, threads, timeout_s, result, progress
        As for `pagerank`.

    Returns
    -------
    DataFrame
        `id: bigint` (or string, as the input), `label`: of the same type, an id.

    Raises
    ------
    ArgumentError, DataError, ResourceError, LaunchError
        As for `pagerank`.

    Notes
    -----
    All vertices change at once, from label(v) = v. The two ends of an edge are each other's neighbours, whatever its
    direction; edges both ways count twice. The same result for every ranks x threads.

    References
    ----------
    Raghavan, Albert, Kumara, "Near linear time algorithm to detect community structures", 2007; LDBC Graphalytics
    specification.

    Examples
    --------
    >>> edges = spark.createDataFrame([(1, 2), (2, 3), (3, 1), (4, 5)], "src bigint, dst bigint")
    >>> found = labelprop(edges, max_iterations=5, variant="ldbc")
    >>> [tuple(r) for r in found.orderBy("id").collect()][:3]
    [(1, 1), (2, 1), (3, 1)]
    """
    return call_on("labelprop", locals())


def scc(
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
    """Strongly connected components: which vertices reach each other along the edges.

    Parameters
    ----------
    edges : DataFrame, Graph or str
        One row per edge; duplicates and self-loops do no harm. Or a graph that `build` made, or its name.
    src, dst : str
        Columns of `edges` with the ids: both of an integer type or both strings, without nulls.
    vertices : DataFrame, optional
        A table with a column `id`, so that vertices without edges are in the result.
    directed : bool
        False: each row stands for both directions, so that the result is that of `components`.
    engine, ranks, threads, timeout_s, result, progress
        As for `pagerank`.

    Returns
    -------
    DataFrame
        `id: bigint` (or string, as the input), `component`: of the same type, the smallest id in the component.

    Raises
    ------
    ArgumentError, DataError, ResourceError, LaunchError
        As for `pagerank`.

    Notes
    -----
    A vertex that lies on no cycle is a component of its own. Strings compare by their UTF-8 bytes. The same result for
    every ranks x threads.

    References
    ----------
    Slota, Rajamanickam, Madduri, "BFS and coloring-based parallel algorithms for strongly connected components and
    related problems", 2014; Tarjan, "Depth-first search and linear graph algorithms", 1972.

    Examples
    --------
    >>> edges = spark.createDataFrame([(2, 1), (1, 2), (2, 3), (4, 4)], "src bigint, dst bigint")
    >>> [tuple(r) for r in scc(edges).orderBy("id").collect()]
    [(1, 1), (2, 1), (3, 3), (4, 4)]
    """
    return call_on("scc", locals())
