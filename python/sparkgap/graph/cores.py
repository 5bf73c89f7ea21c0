# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""How far inside a graph a vertex stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .origin import Engine, call_on

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from .stored_graph import Graph


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
        `id: bigint` (or string, as the input), `core: bigint`; 0 for a vertex without neighbours.

    Raises
    ------
    ArgumentError, DataError, ResourceError, LaunchError
        As for `pagerank`.

    Notes
    -----
    The k-core of a graph is what is left when vertices with fewer than k neighbours go, again and again: the vertices
    with core >= k. Directions do not count, nor how many edges join a pair. The same result for every ranks x threads.

    References
    ----------
    Seidman, "Network structure and minimum degree", 1983; Dasari, Desh, Zubair, "ParK", 2014.

    Examples
    --------
    >>> edges = spark.createDataFrame([(1, 2), (2, 3), (3, 1), (3, 4)], "src bigint, dst bigint")
    >>> [tuple(r) for r in kcore(edges).orderBy("id").collect()]
    [(1, 2), (2, 2), (3, 2), (4, 1)]
    """
    return call_on("kcore", locals())
