# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Numbers that grow with others in straight lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from .origin import Engine, call_on

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def linreg(
    data: DataFrame,
    *,
    features: str | Sequence[str] = "features",
    label: str = "label",
    weight: str | None = None,
    reg_param: float = 0.0,
    elastic_net_param: float = 0.0,
    fit_intercept: bool = True,
    standardization: bool = True,
    solver: Literal["auto", "normal", "l-bfgs"] = "auto",
    max_iter: int = 100,
    tol: float = 1e-6,
    engine: Engine = "native",
    ranks: int | None = None,
    threads: int | None = None,
    timeout_s: float | None = None,
    result: str | None = None,
    progress: bool | None = None,
) -> DataFrame:
    """Linear regression: least squares, ridge, lasso and elastic net.

    Parameters
    ----------
    data : DataFrame
        One row per example.
    features : str or sequence of str
        One column of vectors or of arrays of numbers, or several columns of numbers; all finite, at most 4096 numbers
        in a row.
    label : str
        Column of finite numbers that are to be learnt.
    weight : str, optional
        Column of weights, finite and at least 0; without one every row weighs 1.
    reg_param : float
        How much large coefficients cost, at least 0.
    elastic_net_param : float
        How much of that is L1, in [0, 1]: 0 is ridge, 1 is lasso.
    fit_intercept : bool
        Whether there is an intercept.
    standardization : bool
        Whether coefficients cost in units of their feature's deviation.
    solver : str
        All solve the normal equations; "l-bfgs" takes deviations by rows less one, as MLlib's does.
    max_iter : int
        At most that many iterations, where L1 or a singular matrix take some.
    tol : float
        Iterations end there at the latest; they go on to 1e-10.
    engine, ranks, threads, timeout_s, result, progress
        As for `sparkgap.graph.pagerank`; engine is "native".

    Returns
    -------
    DataFrame
        The model: `class: bigint`, always 0, `feature: bigint`, -1 for the intercept, `value: double`.
        `sparkgap.last_call().figures` has `objective`, half the mean squared error with what coefficients cost, and
        `objective_history` and `diagonal`, which MLlib's summary shows.

    Raises
    ------
    ArgumentError, DataError, ResourceError, LaunchError
        As for `sparkgap.graph.pagerank`. DataError: no rows, nulls, NaN, unequal lengths, no weight above 0.

    Notes
    -----
    One pass sums the products of all pairs of columns, as MLlib's "normal" solver. Where features depend on each other
    and reg_param is 0, the shortest of all solutions comes out; a constant feature has the coefficient 0.

    References
    ----------
    Friedman, Hastie, Tibshirani, "Regularization Paths for Generalized Linear Models via Coordinate Descent", 2010.

    Examples
    --------
    >>> rows = spark.createDataFrame([(0.0, 1.0), (1.0, 3.0), (2.0, 5.0)], "x double, y double")
    >>> [(r.feature, round(r.value, 6)) for r in linreg(rows, features="x", label="y").collect()]
    [(-1, 1.0), (0, 2.0)]
    """
    return call_on("linreg", locals())
