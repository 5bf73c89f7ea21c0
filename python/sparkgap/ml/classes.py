# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Which class a row belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from .origin import Engine, call_on

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def naivebayes(
    data: DataFrame,
    *,
    features: str | Sequence[str] = "features",
    label: str = "label",
    weight: str | None = None,
    smoothing: float = 1.0,
    model_type: Literal["multinomial", "complement", "bernoulli", "gaussian"] = "multinomial",
    engine: Engine = "native",
    ranks: int | None = None,
    threads: int | None = None,
    timeout_s: float | None = None,
    result: str | None = None,
    progress: bool | None = None,
) -> DataFrame:
    """What a class tells about its features if these do not depend on each other.

    Parameters
    ----------
    data : DataFrame
        One row per example.
    features : str or sequence of str
        One column of vectors (sparse ones are read as they are) or of arrays of numbers, or several columns of numbers;
        all finite. At least 0 for "multinomial" and "complement", 0 or 1 for "bernoulli".
    label : str
        Column of classes: whole numbers of at least 0, not necessarily without gaps.
    weight : str, optional
        Column of weights, finite and at least 0; without one every row weighs 1.
    smoothing : float
        Added to every count, at least 0. Not for "gaussian".
    model_type : str
        "multinomial" and "complement" count features, "bernoulli" rows that have them; "gaussian" takes mean and
        variance.
    engine, ranks, threads, timeout_s, result, progress
        As for `sparkgap.graph.pagerank`.

    Returns
    -------
    DataFrame
        The model: `term: string`, `class: double` (the label), `feature: bigint`, `value: double`. Terms are "pi", the
        logarithm of the class's share (feature -1); "theta", the logarithm of a feature's share in the class,
        "gaussian": its mean; "sigma", its variance, "gaussian" only.

    Raises
    ------
    ArgumentError, DataError, ResourceError, LaunchError
        As for `sparkgap.graph.pagerank`. DataError: no rows, nulls, NaN, unequal lengths, features or labels other than
        said above.

    Notes
    -----
    As MLlib's NaiveBayes, whose model takes these numbers.

    References
    ----------
    Manning, Raghavan, Schuetze, "Introduction to Information Retrieval", chapter 13; Rennie et al., "Tackling the poor
    assumptions of naive Bayes text classifiers", 2003.

    Examples
    --------
    >>> import math
    >>> rows = spark.createDataFrame([(0, 1.0, 0.0), (1, 0.0, 2.0), (1, 1.0, 1.0)], "label int, a double, b double")
    >>> model = naivebayes(rows, features=["a", "b"]).filter("term = 'theta'").orderBy("class", "feature")
    >>> [round(math.exp(r.value), 3) for r in model.collect()]
    [0.667, 0.333, 0.333, 0.667]
    """
    return call_on("naivebayes", locals())


def logreg(
    data: DataFrame,
    *,
    features: str | Sequence[str] = "features",
    label: str = "label",
    weight: str | None = None,
    family: Literal["auto", "binomial", "multinomial"] = "auto",
    reg_param: float = 0.0,
    elastic_net_param: float = 0.0,
    fit_intercept: bool = True,
    standardization: bool = True,
    max_iter: int = 100,
    tol: float = 1e-6,
    engine: Engine = "native",
    ranks: int | None = None,
    threads: int | None = None,
    timeout_s: float | None = None,
    result: str | None = None,
    progress: bool | None = None,
) -> DataFrame:
    """Logistic regression: the log-odds of classes as linear functions of the features.

    Parameters
    ----------
    data : DataFrame
        One row per example.
    features : str or sequence of str
        One column of vectors (sparse ones are read as they are) or of arrays of numbers, or several columns of numbers;
        all finite.
    label : str
        Column of classes: whole numbers from 0 on.
    weight : str, optional
        Column of weights, finite and at least 0; without one every row weighs 1.
    family : str
        "auto": binomial with up to two classes, else multinomial.
    reg_param, elastic_net_param : float
        How much large coefficients cost, and how much of that is L1: 0 is ridge, 1 is lasso.
    fit_intercept : bool
        Whether there is an intercept.
    standardization : bool
        Whether coefficients cost in units of their feature's deviation.
    max_iter : int
        At most that many iterations.
    tol : float
        Ends where the gradient, or the progress of twenty iterations, relative to the objective, is below it.
    engine, ranks, threads, timeout_s, result, progress
        As for `sparkgap.graph.pagerank`.

    Returns
    -------
    DataFrame
        The model: `class: bigint`, `feature: bigint` (-1 is the intercept), `value: double`. "binomial" has one class,
        0, whose numbers are the log-odds of label 1. `sparkgap.last_call().figures` has `objective`,
        `objective_history` and `classes`, how many there are.

    Raises
    ------
    ArgumentError, DataError, ResourceError, LaunchError
        As for `sparkgap.graph.pagerank`. DataError: no rows, nulls, NaN, unequal lengths, other labels, no weight above
        0; ArgumentError: "binomial" with more than two classes.

    Notes
    -----
    As MLlib's LogisticRegression: L-BFGS, with L1 OWL-QN. One class only and an intercept: coefficients 0, intercept
    infinite.

    References
    ----------
    Nocedal, Wright, "Numerical Optimization", 2006; Andrew, Gao, "Scalable training of L1-regularized log-linear
    models", 2007.

    Examples
    --------
    >>> rows = spark.createDataFrame([(0, 0.0), (0, 2.0), (1, 1.0), (1, 3.0)], "label int, x double")
    >>> model = logreg(rows, features="x").orderBy("feature")
    >>> [(r.feature, round(r.value, 3)) for r in model.collect()]
    [(-1, -1.362), (0, 0.908)]
    """
    return call_on("logreg", locals())
