# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Kernels on graphs, which are DataFrames of edges or graphs that `build` made.

Written by dev/make_kernels.py from the Specs of the kernels; do not edit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from ..kernel_call import Engine, call_kernel

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from .stored_graph import Graph

__all__ = [
    "KernelMethods",
    "bfs",
    "components",
    "degree",
    "kcore",
    "labelprop",
    "lcc",
    "mis",
    "pagerank",
    "rmat",
    "scc",
    "sssp",
    "triangles",
]


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
        One row per edge. Or a graph that `build` made, or its name: then `src`, `dst`, `vertices` and `directed` are
        those that it was built with.
    source : int or str
        The vertex where paths start.
    src : str, default "src"
        Column of edges with the ids that edges leave: integers or strings, without nulls.
    dst : str, default "dst"
        Column of edges with the ids that edges enter, of the same kind.
    vertices : DataFrame, optional
        A column id: vertices that are in the result even without edges.
    directed : bool, default True
        Whether edges have a direction; if not, each row stands for both.
    variant : {"graphx", "ldbc"}, default "graphx"
        The level where no path leads. graphx: null; ldbc: 9223372036854775807, as LDBC Graphalytics writes it.
    engine : {"native", "spark"}, default "native"
        Native ranks, or Spark's own library on the same input where it has one.
    ranks : int, optional
        MPI ranks; by default one, or what `spark.sparkgap.launch.ranks` says.
    threads : int, optional
        Threads of each rank; by default the cores that Spark has / ranks.
    timeout_s : float, optional
        Deadline of the whole call in seconds.
    result : str, optional
        Name of the result table in `sparkgap.store`.
    progress : bool, optional
        A progress bar; by default on a terminal and in a notebook.

    Returns
    -------
    DataFrame
        `id: bigint` (or string, as the input), `level: bigint`, 0 at the source.
        Its attribute `sparkgap` is the `Call`.

    Raises
    ------
    ArgumentError
        A parameter is out of its range, or there are more ranks than rows.
    DataError
        No rows; a column that is missing or of a wrong type; nulls; a source that is no vertex.
    ResourceError
        The store or the memory has no room.
    LaunchError
        A rank died or could not be started, or the deadline passed.

    Notes
    -----
    level(v) = 1 + min over edges u -> v of level(u). Edges are followed in their direction; for hops to a vertex swap
    src and dst. Duplicate edges and self-loops change nothing. Time O(edges) at most. The same result for every ranks x
    threads.

    References
    ----------
    Beamer, Asanovic, Patterson, "Direction-Optimizing Breadth-First Search", 2012.
    LDBC Graphalytics specification, BFS.

    Examples
    --------
    >>> edges = spark.createDataFrame([(1, 2), (2, 3), (4, 1)], "src bigint, dst bigint")
    >>> [tuple(r) for r in bfs(edges, source=1).orderBy("id").collect()]
    [(1, 0), (2, 1), (3, 2), (4, None)]
    """
    return call_kernel("bfs", "graph", locals())


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
        One row per edge. Or a graph that `build` made, or its name: then `src`, `dst`, `vertices` and `directed` are
        those that it was built with.
    src : str, default "src"
        Column of edges with the ids that edges leave: integers or strings, without nulls.
    dst : str, default "dst"
        Column of edges with the ids that edges enter, of the same kind.
    vertices : DataFrame, optional
        A column id: vertices that are in the result even without edges.
    directed : bool, default True
        Whether edges have a direction; if not, each row stands for both.
    engine : {"native", "spark"}, default "native"
        Native ranks, or Spark's own library on the same input where it has one.
    ranks : int, optional
        MPI ranks; by default one, or what `spark.sparkgap.launch.ranks` says.
    threads : int, optional
        Threads of each rank; by default the cores that Spark has / ranks.
    timeout_s : float, optional
        Deadline of the whole call in seconds.
    result : str, optional
        Name of the result table in `sparkgap.store`.
    progress : bool, optional
        A progress bar; by default on a terminal and in a notebook.

    Returns
    -------
    DataFrame
        `id: bigint` (or string, as the input), `component: bigint` (or string, as the input), the smallest id in the
        component.
        Its attribute `sparkgap` is the `Call`.

    Raises
    ------
    ArgumentError
        A parameter is out of its range, or there are more ranks than rows.
    DataError
        No rows; a column that is missing or of a wrong type; nulls.
    ResourceError
        The store or the memory has no room.
    LaunchError
        A rank died or could not be started, or the deadline passed.

    Notes
    -----
    Directions do not count: these are weakly connected components. Strings compare by their UTF-8 bytes. Duplicate
    edges and self-loops change nothing. Time O(vertices) and the edges outside of the largest component. The same
    result for every ranks x threads.

    References
    ----------
    Sutton, Ben-Nun, Barak, "Optimizing Parallel Graph Connectivity Computation via Subgraph Sampling", 2018.
    LDBC Graphalytics specification, WCC.

    Examples
    --------
    >>> edges = spark.createDataFrame([(2, 1), (2, 3), (5, 4)], "src bigint, dst bigint")
    >>> [tuple(r) for r in components(edges).orderBy("id").collect()]
    [(1, 1), (2, 1), (3, 1), (4, 4), (5, 4)]
    """
    return call_kernel("components", "graph", locals())


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
        One row per edge. Or a graph that `build` made, or its name: then `src`, `dst`, `vertices` and `directed` are
        those that it was built with.
    src : str, default "src"
        Column of edges with the ids that edges leave: integers or strings, without nulls.
    dst : str, default "dst"
        Column of edges with the ids that edges enter, of the same kind.
    vertices : DataFrame, optional
        A column id: vertices that are in the result even without edges.
    directed : bool, default True
        Whether edges have a direction; if not, each row stands for both.
    engine : {"native", "spark"}, default "native"
        Native ranks, or Spark's own library on the same input where it has one.
    ranks : int, optional
        MPI ranks; by default one, or what `spark.sparkgap.launch.ranks` says.
    threads : int, optional
        Threads of each rank; by default the cores that Spark has / ranks.
    timeout_s : float, optional
        Deadline of the whole call in seconds.
    result : str, optional
        Name of the result table in `sparkgap.store`.
    progress : bool, optional
        A progress bar; by default on a terminal and in a notebook.

    Returns
    -------
    DataFrame
        `id: bigint` (or string, as the input); `in_degree: bigint`; `out_degree: bigint`; `degree: bigint`, their sum,
        a self-loop counts twice.
        Its attribute `sparkgap` is the `Call`.

    Raises
    ------
    ArgumentError
        A parameter is out of its range, or there are more ranks than rows.
    DataError
        No rows; a column that is missing or of a wrong type; nulls.
    ResourceError
        The store or the memory has no room.
    LaunchError
        A rank died or could not be started, or the deadline passed.

    Notes
    -----
    Duplicate edges and self-loops count; a vertex without edges has zeros. Time O(edges). The same result for every
    ranks x threads.

    Examples
    --------
    >>> edges = spark.createDataFrame([(1, 2), (2, 1), (3, 1)], "src bigint, dst bigint")
    >>> [tuple(r) for r in degree(edges).orderBy("id").collect()]
    [(1, 2, 1, 3), (2, 1, 1, 2), (3, 0, 1, 1)]
    """
    return call_kernel("degree", "graph", locals())


def kcore(
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
    """Core numbers: the largest k for which a vertex is in a set where each has at least k neighbours of the set.

    Parameters
    ----------
    edges : DataFrame, Graph or str
        One row per edge. Or a graph that `build` made, or its name: then `src`, `dst`, `vertices` and `directed` are
        those that it was built with.
    src : str, default "src"
        Column of edges with the ids that edges leave: integers or strings, without nulls.
    dst : str, default "dst"
        Column of edges with the ids that edges enter, of the same kind.
    vertices : DataFrame, optional
        A column id: vertices that are in the result even without edges.
    directed : bool, default True
        Whether edges have a direction; if not, each row stands for both.
    engine : {"native", "spark"}, default "native"
        Native ranks, or Spark's own library on the same input where it has one.
    ranks : int, optional
        MPI ranks; by default one, or what `spark.sparkgap.launch.ranks` says.
    threads : int, optional
        Threads of each rank; by default the cores that Spark has / ranks.
    timeout_s : float, optional
        Deadline of the whole call in seconds.
    result : str, optional
        Name of the result table in `sparkgap.store`.
    progress : bool, optional
        A progress bar; by default on a terminal and in a notebook.

    Returns
    -------
    DataFrame
        `id: bigint` (or string, as the input), `core: bigint`, 0 for a vertex without neighbours.
        Its attribute `sparkgap` is the `Call`.

    Raises
    ------
    ArgumentError
        A parameter is out of its range, or there are more ranks than rows.
    DataError
        No rows; a column that is missing or of a wrong type; nulls.
    ResourceError
        The store or the memory has no room.
    LaunchError
        A rank died or could not be started, or the deadline passed.

    Notes
    -----
    The k-core of a graph is what is left when vertices with fewer than k neighbours go, again and again: the vertices
    with core >= k. Directions do not count, nor self-loops, nor how many edges join a pair. Time O(edges + sum of core
    numbers). The same result for every ranks x threads.

    References
    ----------
    Seidman, "Network Structure and Minimum Degree", 1983.
    Dasari, Desh, Zubair, "ParK: an efficient algorithm for k-core decomposition on multicore processors", 2014.

    Examples
    --------
    >>> edges = spark.createDataFrame([(1, 2), (2, 3), (3, 1), (3, 4)], "src bigint, dst bigint")
    >>> [tuple(r) for r in kcore(edges).orderBy("id").collect()]
    [(1, 2), (2, 2), (3, 2), (4, 1)]
    """
    return call_kernel("kcore", "graph", locals())


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
        One row per edge. Or a graph that `build` made, or its name: then `src`, `dst`, `vertices` and `directed` are
        those that it was built with.
    src : str, default "src"
        Column of edges with the ids that edges leave: integers or strings, without nulls.
    dst : str, default "dst"
        Column of edges with the ids that edges enter, of the same kind.
    vertices : DataFrame, optional
        A column id: vertices that are in the result even without edges.
    directed : bool, default True
        Whether edges have a direction; if not, each row stands for both.
    max_iterations : int, default 10
        At most that many; fewer where nothing changes any more. At least 0 iterations.
    variant : {"graphx", "ldbc"}, default "graphx"
        Of equally frequent labels ldbc takes the smallest, as LDBC Graphalytics; GraphX takes any, which is here the
        smallest, too.
    engine : {"native", "spark"}, default "native"
        Native ranks, or Spark's own library on the same input where it has one.
    ranks : int, optional
        MPI ranks; by default one, or what `spark.sparkgap.launch.ranks` says.
    threads : int, optional
        Threads of each rank; by default the cores that Spark has / ranks.
    timeout_s : float, optional
        Deadline of the whole call in seconds.
    result : str, optional
        Name of the result table in `sparkgap.store`.
    progress : bool, optional
        A progress bar; by default on a terminal and in a notebook.

    Returns
    -------
    DataFrame
        `id: bigint` (or string, as the input), `label: bigint` (or string, as the input), the id of a vertex.
        Its attribute `sparkgap` is the `Call`.

    Raises
    ------
    ArgumentError
        A parameter is out of its range, or there are more ranks than rows.
    DataError
        No rows; a column that is missing or of a wrong type; nulls.
    ResourceError
        The store or the memory has no room.
    LaunchError
        A rank died or could not be started, or the deadline passed.

    Notes
    -----
    All vertices change at once, from label(v) = v. The two ends of an edge are each other's neighbours, whatever its
    direction; duplicates, edges both ways and self-loops count. Time O(edges * iterations). The same result for every
    ranks x threads.

    References
    ----------
    Raghavan, Albert, Kumara, "Near Linear Time Algorithm to Detect Community Structures", 2007.
    LDBC Graphalytics specification, CDLP.

    Examples
    --------
    >>> edges = spark.createDataFrame([(1, 2), (2, 3), (3, 1), (4, 5)], "src bigint, dst bigint")
    >>> found = labelprop(edges, max_iterations=5, variant="ldbc")
    >>> [tuple(r) for r in found.orderBy("id").collect()][:3]
    [(1, 1), (2, 1), (3, 1)]
    """
    return call_kernel("labelprop", "graph", locals())


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
        One row per edge. Or a graph that `build` made, or its name: then `src`, `dst`, `vertices` and `directed` are
        those that it was built with.
    src : str, default "src"
        Column of edges with the ids that edges leave: integers or strings, without nulls.
    dst : str, default "dst"
        Column of edges with the ids that edges enter, of the same kind.
    vertices : DataFrame, optional
        A column id: vertices that are in the result even without edges.
    directed : bool, default True
        Whether edges have a direction; if not, each row stands for both.
    engine : {"native", "spark"}, default "native"
        Native ranks, or Spark's own library on the same input where it has one.
    ranks : int, optional
        MPI ranks; by default one, or what `spark.sparkgap.launch.ranks` says.
    threads : int, optional
        Threads of each rank; by default the cores that Spark has / ranks.
    timeout_s : float, optional
        Deadline of the whole call in seconds.
    result : str, optional
        Name of the result table in `sparkgap.store`.
    progress : bool, optional
        A progress bar; by default on a terminal and in a notebook.

    Returns
    -------
    DataFrame
        `id: bigint` (or string, as the input), `lcc: double`, in [0, 1]; 0 with fewer than two neighbours.
        Its attribute `sparkgap` is the `Call`.

    Raises
    ------
    ArgumentError
        A parameter is out of its range, or there are more ranks than rows.
    DataError
        No rows; a column that is missing or of a wrong type; nulls.
    ResourceError
        The store or the memory has no room.
    LaunchError
        A rank died or could not be started, or the deadline passed.

    Notes
    -----
    lcc(v) = edges between neighbours of v / (d * (d - 1)), where d is the number of its neighbours, whatever the
    direction, each once; edges between them count by direction. Duplicate edges and self-loops change nothing. The same
    result for every ranks x threads.

    References
    ----------
    Watts, Strogatz, "Collective dynamics of small-world networks", 1998.
    LDBC Graphalytics specification, LCC.

    Examples
    --------
    >>> edges = spark.createDataFrame([(1, 2), (2, 3), (3, 1), (3, 4)], "src bigint, dst bigint")
    >>> [(r.id, round(r.lcc, 3)) for r in lcc(edges, directed=False).orderBy("id").collect()]
    [(1, 1.0), (2, 1.0), (3, 0.333), (4, 0.0)]
    """
    return call_kernel("lcc", "graph", locals())


def mis(
    edges: DataFrame | Graph | str,
    *,
    src: str = "src",
    dst: str = "dst",
    vertices: DataFrame | None = None,
    directed: bool = True,
    seed: int = 0,
    engine: Engine = "native",
    ranks: int | None = None,
    threads: int | None = None,
    timeout_s: float | None = None,
    result: str | None = None,
    progress: bool | None = None,
) -> DataFrame:
    """A maximal independent set by seed: no two of its vertices are neighbours, and every other vertex has one in it.

    Parameters
    ----------
    edges : DataFrame, Graph or str
        One row per edge. Or a graph that `build` made, or its name: then `src`, `dst`, `vertices` and `directed` are
        those that it was built with.
    src : str, default "src"
        Column of edges with the ids that edges leave: integers or strings, without nulls.
    dst : str, default "dst"
        Column of edges with the ids that edges enter, of the same kind.
    vertices : DataFrame, optional
        A column id: vertices that are in the result even without edges.
    directed : bool, default True
        Whether edges have a direction; if not, each row stands for both.
    seed : int, default 0
        Another seed, another set.
    engine : {"native", "spark"}, default "native"
        Native ranks, or Spark's own library on the same input where it has one.
    ranks : int, optional
        MPI ranks; by default one, or what `spark.sparkgap.launch.ranks` says.
    threads : int, optional
        Threads of each rank; by default the cores that Spark has / ranks.
    timeout_s : float, optional
        Deadline of the whole call in seconds.
    result : str, optional
        Name of the result table in `sparkgap.store`.
    progress : bool, optional
        A progress bar; by default on a terminal and in a notebook.

    Returns
    -------
    DataFrame
        `id: bigint` (or string, as the input), `selected: boolean`, whether the vertex is in the set.
        Its attribute `sparkgap` is the `Call`.

    Raises
    ------
    ArgumentError
        A parameter is out of its range, or there are more ranks than rows.
    DataError
        No rows; a column that is missing or of a wrong type; nulls.
    ResourceError
        The store or the memory has no room.
    LaunchError
        A rank died or could not be started, or the deadline passed.

    Notes
    -----
    Each vertex has a priority, a hash of seed and id; a vertex is in the set if no neighbour of a higher priority is.
    Directions do not count, nor self-loops, nor how many edges join a pair; a vertex without neighbours is in the set.
    The set is maximal, not the largest. Time O(edges * rounds), of which O(log^2 vertices) are likely. The same set for
    every ranks x threads.

    References
    ----------
    Luby, "A Simple Parallel Algorithm for the Maximal Independent Set Problem", 1986.
    Blelloch, Fineman, Shun, "Greedy Sequential Maximal Independent Set and Matching Are Parallel on Average", 2012.

    Examples
    --------
    >>> edges = spark.createDataFrame([(1, 2), (2, 3), (3, 4), (9, 9)], "src bigint, dst bigint")
    >>> chosen = mis(edges, seed=7).where("selected")
    >>> [row.id for row in chosen.orderBy("id").collect()]
    [1, 3, 9]
    """
    return call_kernel("mis", "graph", locals())


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
    """PageRank of every vertex: how often a random surfer is there.

    Parameters
    ----------
    edges : DataFrame, Graph or str
        One row per edge. Or a graph that `build` made, or its name: then `src`, `dst`, `vertices` and `directed` are
        those that it was built with.
    src : str, default "src"
        Column of edges with the ids that edges leave: integers or strings, without nulls.
    dst : str, default "dst"
        Column of edges with the ids that edges enter, of the same kind.
    weight : str, optional
        Column of edges with finite weights of at least 0; without one every edge weighs the same. Beside a stored
        graph: the column that its weights came from.
    vertices : DataFrame, optional
        A column id: vertices that are in the result even without edges.
    directed : bool, default True
        Whether edges have a direction; if not, each row stands for both.
    damping : float, default 0.85
        Chance to follow an edge instead of starting anew. In [0, 1].
    max_iterations : int, default 20
        At most that many iterations. At least 0 iterations.
    tolerance : float, optional
        Stop when no rank changes by more than this, before the final scaling. Above 0.
    variant : {"graphx", "ldbc"}, default "graphx"
        graphx: as Spark's GraphX and GraphFrames, ranks sum to the number of vertices. ldbc: as LDBC Graphalytics,
        ranks sum to 1 and the rank of vertices without out-edges is spread over all.
    source_ids : sequence of int or str, optional
        Personalised: the walk starts anew at these vertices only.
    engine : {"native", "spark"}, default "native"
        Native ranks, or Spark's own library on the same input where it has one.
    ranks : int, optional
        MPI ranks; by default one, or what `spark.sparkgap.launch.ranks` says.
    threads : int, optional
        Threads of each rank; by default the cores that Spark has / ranks.
    timeout_s : float, optional
        Deadline of the whole call in seconds.
    result : str, optional
        Name of the result table in `sparkgap.store`.
    progress : bool, optional
        A progress bar; by default on a terminal and in a notebook.

    Returns
    -------
    DataFrame
        `id: bigint` (or string, as the input), `pagerank: double`, sums as the variant says.
        Its attribute `sparkgap` is the `Call`, whose `figures` hold `changes`, how much all ranks together moved, in
        each of the first 1000 iterations.

    Raises
    ------
    ArgumentError
        A parameter is out of its range, or there are more ranks than rows.
    DataError
        No rows; a column that is missing or of a wrong type; nulls; a weight that is NaN, infinite or negative.
    ResourceError
        The store or the memory has no room.
    LaunchError
        A rank died or could not be started, or the deadline passed.

    Notes
    -----
    rank(v) = (1 - d) + d * sum over edges u -> v of rank(u) * weight / weights out of u (graphx, then scaled), where d
    is the damping. Duplicate edges and self-loops count. Time O(edges * iterations). The same result within 1e-12 for
    every ranks x threads. No convergence is no error: read converged, iterations and residual of the call.

    References
    ----------
    Page, Brin, Motwani, Winograd, "The PageRank Citation Ranking", 1999.
    LDBC Graphalytics specification, PR.

    Examples
    --------
    >>> edges = spark.createDataFrame([(1, 2), (2, 1), (3, 1)], "src bigint, dst bigint")
    >>> ranks = pagerank(edges, max_iterations=30)
    >>> [(r.id, round(r.pagerank, 2)) for r in ranks.orderBy("id").collect()]
    [(1, 1.46), (2, 1.39), (3, 0.15)]
    """
    return call_kernel("pagerank", "graph", locals())


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
    scale : int, default 18
        log2 of the number of vertices. In [1, 31].
    edge_factor : int, default 16
        Edges per vertex. In [1, 65536].
    seed : int, default 1
        Another seed, another graph.
    a : float, default 0.57
        Probability of the quadrant where both bits are 0. In [0, 1].
    b : float, default 0.19
        Probability of the quadrant where only the bit of dst is 1. In [0, 1].
    c : float, default 0.19
        Probability of the quadrant where only the bit of src is 1; both are 1 with 1 - a - b - c. In [0, 1].
    engine : {"native", "spark"}, default "native"
        Native ranks, or Spark's own library on the same input where it has one.
    ranks : int, optional
        MPI ranks; by default one, or what `spark.sparkgap.launch.ranks` says.
    threads : int, optional
        Threads of each rank; by default the cores that Spark has / ranks.
    timeout_s : float, optional
        Deadline of the whole call in seconds.
    result : str, optional
        Name of the result table in `sparkgap.store`.
    progress : bool, optional
        A progress bar; by default on a terminal and in a notebook.
    spark : SparkSession, optional
        The active one by default.

    Returns
    -------
    DataFrame
        `src: bigint`, in [0, 2**scale), shuffled labels, `dst: bigint`, in [0, 2**scale).
        Its attribute `sparkgap` is the `Call`.

    Raises
    ------
    ArgumentError
        A parameter is out of its range.
    ResourceError
        The store or the memory has no room.
    LaunchError
        A rank died or could not be started, or the deadline passed.

    Notes
    -----
    The graph has edge_factor * 2**scale rows; duplicates and self-loops occur. Random numbers come from a counter, so
    the rows and their order do not depend on ranks x threads.

    References
    ----------
    Chakrabarti, Zhan, Faloutsos, "R-MAT: a recursive model for graph mining", 2004.
    Graph500 specification.

    Examples
    --------
    >>> rmat(scale=4, edge_factor=8, seed=7).count()
    128
    """
    return call_kernel("rmat", "graph", locals())


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
        One row per edge. Or a graph that `build` made, or its name: then `src`, `dst`, `vertices` and `directed` are
        those that it was built with.
    src : str, default "src"
        Column of edges with the ids that edges leave: integers or strings, without nulls.
    dst : str, default "dst"
        Column of edges with the ids that edges enter, of the same kind.
    vertices : DataFrame, optional
        A column id: vertices that are in the result even without edges.
    directed : bool, default True
        Whether edges have a direction; if not, each row stands for both.
    engine : {"native", "spark"}, default "native"
        Native ranks, or Spark's own library on the same input where it has one.
    ranks : int, optional
        MPI ranks; by default one, or what `spark.sparkgap.launch.ranks` says.
    threads : int, optional
        Threads of each rank; by default the cores that Spark has / ranks.
    timeout_s : float, optional
        Deadline of the whole call in seconds.
    result : str, optional
        Name of the result table in `sparkgap.store`.
    progress : bool, optional
        A progress bar; by default on a terminal and in a notebook.

    Returns
    -------
    DataFrame
        `id: bigint` (or string, as the input), `component: bigint` (or string, as the input), the smallest id in the
        component.
        Its attribute `sparkgap` is the `Call`.

    Raises
    ------
    ArgumentError
        A parameter is out of its range, or there are more ranks than rows.
    DataError
        No rows; a column that is missing or of a wrong type; nulls.
    ResourceError
        The store or the memory has no room.
    LaunchError
        A rank died or could not be started, or the deadline passed.

    Notes
    -----
    A vertex that lies on no cycle is a component of its own. Without direction the result is that of connected
    components. Strings compare by their UTF-8 bytes. Duplicate edges and self-loops change nothing. The same result for
    every ranks x threads.

    References
    ----------
    Slota, Rajamanickam, Madduri, "BFS and Coloring-Based Parallel Algorithms for Strongly Connected Components and
    Related Problems", 2014.
    Tarjan, "Depth-First Search and Linear Graph Algorithms", 1972.

    Examples
    --------
    >>> edges = spark.createDataFrame([(2, 1), (1, 2), (2, 3), (4, 4)], "src bigint, dst bigint")
    >>> [tuple(r) for r in scc(edges).orderBy("id").collect()]
    [(1, 1), (2, 1), (3, 3), (4, 4)]
    """
    return call_kernel("scc", "graph", locals())


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
        One row per edge. Or a graph that `build` made, or its name: then `src`, `dst`, `vertices` and `directed` are
        those that it was built with.
    source : int or str
        The vertex where paths start.
    src : str, default "src"
        Column of edges with the ids that edges leave: integers or strings, without nulls.
    dst : str, default "dst"
        Column of edges with the ids that edges enter, of the same kind.
    weight : str, optional
        Column of edges with finite weights of at least 0; without one every edge weighs the same. Beside a stored
        graph: the column that its weights came from.
    vertices : DataFrame, optional
        A column id: vertices that are in the result even without edges.
    directed : bool, default True
        Whether edges have a direction; if not, each row stands for both.
    delta : float, optional
        Width of the steps in which distances are settled; changes only the time. Without one it follows from weights
        and degrees. Above 0.
    engine : {"native", "spark"}, default "native"
        Native ranks, or Spark's own library on the same input where it has one.
    ranks : int, optional
        MPI ranks; by default one, or what `spark.sparkgap.launch.ranks` says.
    threads : int, optional
        Threads of each rank; by default the cores that Spark has / ranks.
    timeout_s : float, optional
        Deadline of the whole call in seconds.
    result : str, optional
        Name of the result table in `sparkgap.store`.
    progress : bool, optional
        A progress bar; by default on a terminal and in a notebook.

    Returns
    -------
    DataFrame
        `id: bigint` (or string, as the input), `distance: double`, 0 at the source, infinity where no path leads.
        Its attribute `sparkgap` is the `Call`.

    Raises
    ------
    ArgumentError
        A parameter is out of its range, or there are more ranks than rows.
    DataError
        No rows; a column that is missing or of a wrong type; nulls; a source that is no vertex, a weight that is NaN,
        infinite or negative.
    ResourceError
        The store or the memory has no room.
    LaunchError
        A rank died or could not be started, or the deadline passed.

    Notes
    -----
    distance(v) = min over edges u -> v of distance(u) + weight; edges are followed in their direction, and of several
    between two vertices the lightest counts. Without weights every edge has the length 1; a graph that was built with
    weights uses them without being told. The same result, bit by bit, for every ranks x threads.

    References
    ----------
    Meyer, Sanders, "Delta-stepping: a parallelizable shortest path algorithm", 2003.
    LDBC Graphalytics specification, SSSP.

    Examples
    --------
    >>> edges = spark.createDataFrame([(1, 2, 5.0), (1, 3, 1.0), (3, 2, 1.5)], "src bigint, dst bigint, km double")
    >>> [tuple(r) for r in sssp(edges, source=1, weight="km").orderBy("id").collect()]
    [(1, 0.0), (2, 2.5), (3, 1.0)]
    """
    return call_kernel("sssp", "graph", locals())


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
        One row per edge. Or a graph that `build` made, or its name: then `src`, `dst`, `vertices` and `directed` are
        those that it was built with.
    src : str, default "src"
        Column of edges with the ids that edges leave: integers or strings, without nulls.
    dst : str, default "dst"
        Column of edges with the ids that edges enter, of the same kind.
    vertices : DataFrame, optional
        A column id: vertices that are in the result even without edges.
    directed : bool, default True
        Whether edges have a direction; if not, each row stands for both.
    engine : {"native", "spark"}, default "native"
        Native ranks, or Spark's own library on the same input where it has one.
    ranks : int, optional
        MPI ranks; by default one, or what `spark.sparkgap.launch.ranks` says.
    threads : int, optional
        Threads of each rank; by default the cores that Spark has / ranks.
    timeout_s : float, optional
        Deadline of the whole call in seconds.
    result : str, optional
        Name of the result table in `sparkgap.store`.
    progress : bool, optional
        A progress bar; by default on a terminal and in a notebook.

    Returns
    -------
    DataFrame
        `id: bigint` (or string, as the input), `count: bigint`, triangles that the vertex is part of.
        Its attribute `sparkgap` is the `Call`.

    Raises
    ------
    ArgumentError
        A parameter is out of its range, or there are more ranks than rows.
    DataError
        No rows; a column that is missing or of a wrong type; nulls.
    ResourceError
        The store or the memory has no room.
    LaunchError
        A rank died or could not be started, or the deadline passed.

    Notes
    -----
    Directions do not count, nor self-loops, nor how many edges join a pair; the counts of a graph sum to three times
    its triangles. The same result for every ranks x threads.

    References
    ----------
    Schank, Wagner, "Finding, Counting and Listing All Triangles in Large Graphs", 2005.

    Examples
    --------
    >>> edges = spark.createDataFrame([(1, 2), (2, 3), (3, 1), (3, 4)], "src bigint, dst bigint")
    >>> [tuple(r) for r in triangles(edges).orderBy("id").collect()]
    [(1, 1), (2, 1), (3, 1), (4, 0)]
    """
    return call_kernel("triangles", "graph", locals())


class KernelMethods:
    """The kernels that take a stored graph, as methods of its handle."""

    bfs = bfs
    components = components
    degree = degree
    kcore = kcore
    labelprop = labelprop
    lcc = lcc
    mis = mis
    pagerank = pagerank
    scc = scc
    sssp = sssp
    triangles = triangles
