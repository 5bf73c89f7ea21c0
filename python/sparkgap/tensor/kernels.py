# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Kernels on sparse tensors, which are DataFrames of entries.

Written by dev/make_kernels.py from the Specs of the kernels; do not edit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..kernel_call import Engine, call_kernel

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["cpd"]


def cpd(
    data: DataFrame,
    *,
    modes: str | Sequence[str] | None = None,
    value: str = "value",
    rank: int = 10,
    max_iter: int = 50,
    tol: float = 0.0001,
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
        One row per entry that is not 0: a key in each mode, and a value.
    modes : str or sequence of str, optional
        2 to 32 columns of keys, each of integers or strings, without nulls; must be given.
    value : str, default "value"
        Column of numbers, finite, not all 0; those of rows with the same keys add up.
    rank : int, default 10
        How many components. In [1, 1000] components.
    max_iter : int, default 50
        At most that many iterations. At least 1 iterations.
    tol : float, default 0.0001
        Ends where an iteration changes the fit by less. At least 0.
    reg_param : float, default 0.0
        How much the squares of the lambdas cost. At least 0.
    non_negative : bool, default False
        Whether factors may not be below 0.
    seed : int, default 0
        Other seeds start from other factors.
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
        `mode: bigint`, from 0, as in modes; `key: bigint` (or string, as the input), a key of the mode, string where
        any mode has strings; `factor: array<double>`, a number for each component, the largest lambda first; over the
        keys of a mode the squares of a component's numbers add up to 1.
        Its attribute `sparkgap` is the `Call`, whose `figures` hold `lambdas`, by component, the largest first; `fit`,
        1 - |X - M| / |X|; `fit_history`, the same by iteration; `objective`, what is made small; `entries`, different
        ones; `duplicates`, rows that were added to another; `sizes`, keys by mode.

    Raises
    ------
    ArgumentError
        A parameter is out of its range, or there are more ranks than rows.
    DataError
        No rows; a column that is missing or of a wrong type; nulls; no rows, NaN, infinities, only zeroes.
    ResourceError
        The store or the memory has no room.
    LaunchError
        A rank died or could not be started, or the deadline passed.

    Notes
    -----
    An entry is modelled as the sum over components of lambda times the product of its keys' values. The fit is 1 - |X -
    M| / |X|, 1 where the model is exact. Time O(entries * modes * rank * iterations). The same seed starts from the
    same factors for every ranks x threads.

    References
    ----------
    Kolda, Bader, "Tensor Decompositions and Applications, section 3.4", 2009.
    Smith, Ravindran, Sidiropoulos, Karypis, "SPLATT", 2015.

    Examples
    --------
    >>> entries = spark.createDataFrame([(1, 7, 1, 6.0), (1, 8, 1, 8.0)], "i int, j int, k int, value double")
    >>> rows = cpd(entries, modes=["i", "j", "k"], rank=1).collect()
    >>> sorted((r.mode, r.key, round(abs(r.factor[0]), 6)) for r in rows)
    [(0, 1, 1.0), (1, 7, 0.6), (1, 8, 0.8), (2, 1, 1.0)]
    """
    return call_kernel("cpd", "tensor", locals())
