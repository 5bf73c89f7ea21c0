# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Vertex programs of the user's own, compiled by `sparkgap cxx`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ArgumentError
from ..kernel_call import call_kernel

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from .stored_graph import Graph


def run(
    program: str | Path,
    edges: DataFrame | Graph | str,
    *,
    parameters: Mapping[str, Any] | None = None,
    src: str = "src",
    dst: str = "dst",
    weight: str | None = None,
    vertices: DataFrame | None = None,
    directed: bool = True,
    max_iterations: int | None = None,
    ranks: int | None = None,
    threads: int | None = None,
    timeout_s: float | None = None,
    result: str | None = None,
    progress: bool | None = None,
) -> DataFrame:
    """Run a vertex program of your own; docs/vertex-programs.md tells how to write one.

    Parameters
    ----------
    program : str or Path
        What `sparkgap cxx` made, on the driver's host.
    edges : DataFrame, Graph or str
        One row per edge; duplicates and self-loops are edges like others. Or a graph that `build` made, or its name.
    parameters : mapping of str to value, optional
        What the program itself declares; values travel as text.
    src, dst : str
        Columns of `edges` with the ids.
    weight : str, optional
        Column of `edges` with finite weights of at least 0; without one every edge weighs 1. A graph that was built
        with weights has them in any case.
    vertices : DataFrame, optional
        A table with a column `id`, so that vertices without edges take part.
    directed : bool
        False: each row stands for both directions.
    max_iterations : int, optional
        At most that many rounds; by default until nothing changes or the program says so.
    ranks, threads, timeout_s, result, progress
        As for `pagerank`.

    Returns
    -------
    DataFrame
        `id: bigint` (or string, as the input) and the program's column, `double` or `bigint`.

    Raises
    ------
    ArgumentError
        There is no such program, it may not run on this server, or it is none; a parameter is missing, unknown or out
        of its range.
    DataError, ResourceError, LaunchError
        As for `pagerank`.

    Notes
    -----
    A round reads the arcs of the vertices that may get a message. The same result for any number of threads.

    References
    ----------
    Malewicz et al., "Pregel", 2010; Sundaram et al., "GraphMat", 2015.

    Examples
    --------
    >>> ways = run("widest", roads, parameters={"source": "ann"})  # doctest: +SKIP
    """
    given = locals()
    path, own = str(given.pop("program")), dict(given.pop("parameters") or {})
    if not all(isinstance(name, str) for name in own):
        raise ArgumentError.of("parameters", "names as strings", repr(list(own)), "Give a dict of names and values.")
    texts = {name: _text(value) for name, value in own.items() if value is not None}
    return call_kernel("run", "graph", {**given, "engine": "native", "program": path, "parameters": texts or None})


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
