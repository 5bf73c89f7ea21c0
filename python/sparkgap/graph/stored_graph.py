# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Graphs that stay in the store: built once, used by many calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from ..call import Call, call, exact_name, frame, new_word, run_sql, with_word
from ..door import require_plugin
from ..errors import ArgumentError, spark_errors
from ..kernel_call import STORE, StoredGraph, plain_name
from ..session import active
from .kernels import KernelMethods

if TYPE_CHECKING:
    from types import TracebackType

    from pyspark.sql import DataFrame, Row, SparkSession


class Graph(StoredGraph, KernelMethods):
    """A stored graph, as `build` and `load` give it.

    Its methods are this package's functions with the graph as their first argument. As a context manager it drops the
    stored graph at the end.

    Attributes
    ----------
    name : str
        The graph's name in the store.
    spark : SparkSession
        The session that has it.
    n_vertices, n_edges : int
        Distinct ids, and rows of `edges`.
    directed : bool
        Whether edges have a direction.
    weight : str or None
        The column that the weights came from; None without weights.
    call : Call or None
        What building it cost; None where this process did not build it.
    exact_name : str
        The name of this very graph: where it was dropped and another has its name, calls on this handle say so.

    Examples
    --------
    >>> edges = spark.createDataFrame([(1, 2), (2, 1), (3, 1)], "src bigint, dst bigint")
    >>> with build(edges, name="three") as g:
    ...     print(g)
    ...     g.degree().count()
    Graph('three', n_vertices=3, n_edges=3, directed=True)
    3
    """

    def __init__(
        self,
        name: str,
        spark: SparkSession,
        *,
        n_vertices: int,
        n_edges: int,
        directed: bool = True,
        weight: str | None = None,
        call: Call | None = None,
        exact_name: str | None = None,
    ) -> None:
        self.name = name
        # Another graph may have the name one day; this handle is not that one's.
        self.exact_name = exact_name or name
        self.spark = spark
        self.n_vertices = n_vertices
        self.n_edges = n_edges
        self.directed = directed
        self.weight = weight
        self.call = call

    @property
    def vertices(self) -> DataFrame:
        """`id`, `in_degree: bigint`, `out_degree: bigint`, with weights also `out_weight: double`.

        Read where it lies: not to be used after `drop()`.

        Raises
        ------
        ArgumentError
            The graph was dropped.
        """
        require_plugin(self.spark)
        with spark_errors():
            try:
                table = self.spark.table(_table(self.exact_name))
                table.schema  # noqa: B018 - Connect asks for it when it is needed
            except Exception as e:
                if "TABLE_OR_VIEW_NOT_FOUND" in str(e) or "expected the one that this was made from" in str(e):
                    raise ArgumentError.of(
                        "graph",
                        f"the stored graph {self.name!r}",
                        "none, or another of that name",
                        "It was dropped: build it again.",
                    ) from None
                raise
        return table

    def drop(self) -> None:
        """Remove the graph from the store; results that were computed from it stay. Dropping it again does nothing."""
        run_sql(self.spark, f"DROP TABLE IF EXISTS {_table(self.exact_name)}")

    def __enter__(self) -> Graph:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.drop()

    def __repr__(self) -> str:
        weight = f", weight={self.weight!r}" if self.weight is not None else ""
        counts = f"n_vertices={self.n_vertices}, n_edges={self.n_edges}"
        return f"Graph({self.name!r}, {counts}, directed={self.directed}{weight})"


def build(
    edges: DataFrame,
    *,
    src: str = "src",
    dst: str = "dst",
    weight: str | None = None,
    vertices: DataFrame | None = None,
    directed: bool = True,
    name: str | None = None,
    ranks: int | None = None,
    threads: int | None = None,
    timeout_s: float | None = None,
    progress: bool | None = None,
) -> Graph:
    """Build a graph that later calls start from, without exporting and building it again.

    Parameters
    ----------
    edges : DataFrame
        One row per edge; duplicates and self-loops count.
    src, dst : str
        Columns of `edges` with the ids: both of an integer type or both strings, without nulls.
    weight : str, optional
        Column of `edges` with the weights: finite and at least 0. `sssp` uses them, `pagerank(g, weight=...)` too.
    vertices : DataFrame, optional
        A table with a column `id`, so that vertices without edges are in the graph.
    directed : bool
        False: each row stands for both directions.
    name : str, optional
        The graph's name in the store, letters, digits and _; by default `build_` and a number.
    ranks, threads, timeout_s, progress
        As for `pagerank`.

    Returns
    -------
    Graph
        Its table of vertices is `id: bigint` (or string), `in_degree: bigint`, `out_degree: bigint`, with weights also
        `out_weight: double`.

    Raises
    ------
    ArgumentError, DataError, ResourceError, LaunchError
        As for `pagerank`; ArgumentError also where the name is taken.

    Notes
    -----
    The store keeps 8 bytes per edge, with weights 24, and 24 per vertex (more for string ids), until `drop()` or the
    end of the application. Any number of ranks can use it, however many built it.

    Examples
    --------
    >>> edges = spark.createDataFrame([("ann", "bob", 2.0), ("bob", "cho", 0.5)], "src string, dst string, w double")
    >>> g = build(edges, weight="w")
    >>> g.n_vertices, g.n_edges, g.weight
    (3, 2, 'w')
    >>> g.drop()
    """
    parameters = {"src": src, "dst": dst, "weight": weight, "directed": directed, "name": name}
    session = frame("edges", edges).sparkSession
    word = new_word()
    table = call(
        "build",
        "graph",
        {"edges": edges, "vertices": vertices},
        parameters,
        spark=session,
        ranks=ranks,
        threads=threads,
        timeout_s=timeout_s,
        progress=progress,
        word=word,
    )
    done: Call = table.sparkgap
    exact = exact_name(session, done.table) if name is None else with_word(done.table, word)
    return Graph(
        plain_name(done.table),
        session,
        n_vertices=done.rows_out,
        n_edges=cast("int", done.rows_in),
        directed=directed,
        weight=weight,
        call=done,
        exact_name=plain_name(exact),
    )


def load(name: str, *, spark: SparkSession | None = None) -> Graph:
    """The handle of a stored graph.

    Parameters
    ----------
    name : str
        As given to `build`, or the name of its table; `published.<name>` for one that was published.
    spark : SparkSession, optional
        The active one by default.

    Returns
    -------
    Graph
        All of it but `call`.

    Raises
    ------
    ArgumentError
        There is no such graph.

    Examples
    --------
    >>> edges = spark.createDataFrame([(1, 2), (2, 1), (3, 1)], "src bigint, dst bigint")
    >>> built = build(edges, name="again")
    >>> load("again")
    Graph('again', n_vertices=3, n_edges=3, directed=True)
    >>> built.drop()
    """
    if not isinstance(name, str):
        raise ArgumentError.of("name", "the name of a stored graph", repr(name), "Give a string.")
    session, plain = spark or active(), plain_name(name).removeprefix("sparkgap.")
    exact = None
    while True:  # until what was listed is what has the name before and after
        row, before = _listed(session, plain), exact
        exact = None if plain.startswith("published.") else exact_name(session, f"{STORE}{plain}")
        if exact == before:
            return Graph(
                plain,
                session,
                n_vertices=row["vertices"],
                n_edges=row["edges"],
                directed=row["directed"],
                weight=row["weight"],
                exact_name=None if exact is None else plain_name(exact),
            )


def _listed(session: SparkSession, plain: str) -> Row:
    known = {row["name"]: row for row in run_sql(session, "CALL sparkgap.graph.graphs()")}
    if plain not in known:
        found = f"only {', '.join(sorted(known)[:10])}" if known else "none in the store"
        raise ArgumentError.of("name", f"a stored graph {plain!r}", found, "Build it with sparkgap.graph.build(edges).")
    return known[plain]


def _table(name: str) -> str:
    published = name.removeprefix("published.")
    quoted = published.replace("`", "``")
    return f"{STORE}`{quoted}`" if published == name else f"sparkgap.published.`{quoted}`"
