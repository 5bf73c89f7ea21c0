# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Tensors as sums of products."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..ml.origin import Engine, call_on

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def cpd(
    data: DataFrame,
    *,
    modes: Sequence[str] | None = None,
    value: str = "value",
    rank: int = 10,
    max_iter: int = 50,
    tol: float = 1e-4,
    reg_param: float = 0.0,
    non_negative: bool = False,
    seed: int = 0,
    engine: Engine = "native",
    ranks: int | None = None,
    threads: int | None = None,
    timeout_s: float | None = None,
    result: str | None = None,
    progress: bool | None = None,
) -> DataFrame:
    """CP decomposition (CANDECOMP/PARAFAC) of a sparse tensor by alternating least squares; what has no row is 0.

    Parameters
    ----------
    data : DataFrame
        One row per entry. Rows with the same keys add up.
    modes : sequence of str
        2 to 32 columns of keys, each of integers or strings, without nulls. Must be given.
    value : str
        Column of numbers, finite, not all 0.
    rank : int
        How many components, 1 to 1000.
    max_iter : int
        At most that many iterations, at least 1.
    tol : float
        Ends where an iteration changes the fit by less; at least 0.
    reg_param : float
        How much the squares of the lambdas cost, at least 0.
    non_negative : bool
        Whether factors may not be below 0.
    seed : int
        Other seeds start from other factors; the same seed from the same for every ranks x threads.
    engine, ranks, threads, timeout_s, result, progress
        As for `sparkgap.graph.pagerank`; there is no other engine than "native".

    Returns
    -------
    DataFrame
        The factors: `mode: bigint` (from 0, as in `modes`), `key: bigint`, or string where any mode has strings,
        `factor: array<double>`, a number for each component, the largest lambda first; over the keys of a mode the
        squares of a component's numbers add up to 1. `sparkgap.last_call().figures` has `lambdas`, `fit`,
        `fit_history`, `objective`, `entries`, `duplicates` (rows that were added to another) and `sizes` (keys by
        mode).

    Raises
    ------
    ArgumentError, DataError, ResourceError, LaunchError
        As for `sparkgap.graph.pagerank`. DataError: no rows, nulls, NaN, infinities, only zeroes.

    Notes
    -----
    An entry is modelled as the sum over components of lambda times the product of its keys' values. The fit is 1 - |X -
    M| / |X|, 1 where the model is exact.

    References
    ----------
    Kolda, Bader, "Tensor decompositions and applications", SIAM Review 2009.

    Examples
    --------
    >>> entries = spark.createDataFrame([(1, 7, 1, 6.0), (1, 8, 1, 8.0)], "i int, j int, k int, value double")
    >>> rows = cpd(entries, modes=["i", "j", "k"], rank=1).collect()
    >>> sorted((r.mode, r.key, round(abs(r.factor[0]), 6)) for r in rows)
    [(0, 1, 1.0), (1, 7, 0.6), (1, 8, 0.8), (2, 1, 1.0)]
    """
    return call_on("cpd", locals(), family="tensor")
