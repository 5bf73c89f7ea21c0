# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Graphs to test with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..call import call
from ..session import active
from .origin import Engine

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


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
