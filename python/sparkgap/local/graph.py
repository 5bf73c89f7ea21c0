# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Graphs that are built once and used by many calls, on this host without Spark."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, cast

from ..call import Call, last_call
from .call import Rows, run_kernel
from .graph_files import GraphFiles
from .kernels import KernelMethods

if TYPE_CHECKING:
    import pyarrow as pa


class Graph(GraphFiles, KernelMethods):
    """A graph that `build` made. Its methods are this package's functions with the graph as their first argument.

    It lies in the store's memory until `drop()`, the end of a `with` block, or the end of the handle or the process.

    Attributes
    ----------
    n_vertices, n_edges : int
        Distinct ids, and rows of `edges`.
    directed : bool
        Whether edges have a direction.
    weight : str or None
        The column that the weights came from.
    vertices : pyarrow.Table
        `id: bigint` (or string), `in_degree: bigint`, `out_degree: bigint`, with weights `out_weight: double`.
    call : Call
        What building it cost.
    """

    vertices: pa.Table
    call: Call

    def __enter__(self) -> Graph:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.drop()

    def __repr__(self) -> str:
        weight = f", weight={self.weight!r}" if self.weight is not None else ""
        return f"Graph(n_vertices={self.n_vertices}, n_edges={self.n_edges}, directed={self.directed}{weight})"


def build(
    edges: Rows,
    *,
    src: str = "src",
    dst: str = "dst",
    weight: str | None = None,
    vertices: Rows | None = None,
    directed: bool = True,
    ranks: int | None = None,
    threads: int | None = None,
    timeout_s: float | None = None,
) -> Graph:
    """Build a graph that later calls start from.

    Parameters
    ----------
    edges : rows
        One row per edge; duplicates and self-loops count.
    src, dst : str
        Columns of `edges` with the ids: both of an integer type or both strings, without nulls.
    weight : str, optional
        Column of `edges` with the weights: finite and at least 0.
    vertices : rows, optional
        A column `id`: vertices that are in the graph even without edges.
    directed : bool
        False: each row stands for both directions.
    ranks, threads, timeout_s
        As for `pagerank`.

    Returns
    -------
    Graph

    Raises
    ------
    SparkGapError
        As for `pagerank`.

    Examples
    --------
    >>> with build({"src": [1, 2, 3], "dst": [2, 1, 1]}) as g:
    ...     print(g, g.degree().num_rows)
    Graph(n_vertices=3, n_edges=3, directed=True) 3
    """
    given: Mapping[str, Any] = locals()
    outcome, folder = run_kernel("build", given)
    done = cast("Call", last_call())
    made = Graph(folder, outcome.reports, n_edges=done.rows_in or 0, directed=directed, weight=weight)
    made.vertices, made.call = outcome.rows, done
    return made
