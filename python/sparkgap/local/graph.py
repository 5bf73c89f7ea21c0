# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Graphs that are built once and used by many calls, on this host without Spark."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ..call import Call
from ..errors import ArgumentError
from .call import Rows, run_kernel
from .graph_files import Files, GraphFiles
from .kernels import KernelMethods
from .stored_table import manifest_of, mapped

if TYPE_CHECKING:
    import pyarrow as pa


class Graph(GraphFiles, KernelMethods):
    """A graph that `build` made, or `load` found. Its methods are this package's functions, with the graph as their
    first argument.

    One that was built lies in the store's memory until `drop()`, the end of a `with` block, or the end of the handle or
    the process. One of a Spark application stays that application's.

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
    call : Call or None
        What building it cost.
    """

    vertices: pa.Table
    call: Call | None = None

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
    progress: bool | None = None,
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
    ranks, threads, timeout_s, progress
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
    done = run_kernel("build", given)
    made = Graph(
        Files.of_reports(done.reports), done.folder, n_edges=done.call.rows_in or 0, directed=directed, weight=weight
    )
    made.vertices, made.call = done.rows, done.call
    return made


def load(name: str, *, store: str | Path | None = None) -> Graph:
    """A graph that a Spark application keeps in this host's store, or has published. It is read where it lies.

    Parameters
    ----------
    name, store
        As for `table`.

    Returns
    -------
    Graph
        Of its applications's files: after these are gone, calls fail with one line.

    Raises
    ------
    ArgumentError
        There is no such graph, or more than one.
    DataError
        A file of it is on another host, or damaged.
    """
    found, manifest = manifest_of(name, store)
    said = manifest.graph
    if said is None:
        raise ArgumentError.of(f"graph '{name}'", "a stored graph", "a table", "Build a graph of it.")
    weight = (said.get("weight") or "weight") if said["weighted"] else None
    made = Graph(
        Files.of_manifest(manifest), None, n_edges=said.get("edges", 0), directed=said["directed"], weight=weight
    )
    made.vertices = mapped(found.label, manifest)
    return made
