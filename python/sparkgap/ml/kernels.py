# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Kernels that learn from DataFrames of rows; a model is a table.

Written by dev/make_kernels.py from the Specs of the kernels; do not edit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from ..kernel_call import Engine, call_kernel

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["kmeans", "lda", "linreg", "logreg", "naivebayes"]


def kmeans(
    data: DataFrame,
    *,
    features: str | Sequence[str] = "features",
    weight: str | None = None,
    k: int = 2,
    distance_measure: Literal["euclidean", "cosine"] = "euclidean",
    init_mode: Literal["k-means||", "random"] = "k-means||",
    init_steps: int = 2,
    tol: float = 0.0001,
    max_iter: int = 20,
    seed: int = 0,
    engine: Engine = "native",
    ranks: int | None = None,
    threads: int | None = None,
    timeout_s: float | None = None,
    result: str | None = None,
    progress: bool | None = None,
) -> DataFrame:
    """Centers of k clusters such that points are near to the center of their own.

    Parameters
    ----------
    data : DataFrame
        One row per example.
    features : str or sequence of str, default "features"
        One column of vectors (sparse ones are read as they are) or of arrays of numbers, or several columns of numbers;
        all finite.
    weight : str, optional
        Column of data with weights, finite and at least 0; without one every row weighs 1.
    k : int, default 2
        At most that many clusters; fewer where there are fewer different points. In [2, 1000000000] clusters.
    distance_measure : {"euclidean", "cosine"}, default "euclidean"
        euclidean: the squared distance; cosine: 1 - cosine, every row counts as scaled to length 1.
    init_mode : {"k-means||", "random"}, default "k-means||"
        Where centers start: k-means||, or random rows.
    init_steps : int, default 2
        Steps of k-means||. In [1, 1000].
    tol : float, default 0.0001
        Ends when no center moves by more, in the distance. At least 0.
    max_iter : int, default 20
        At most that many iterations. At least 0 iterations.
    seed : int, default 0
        Other seeds start from other rows.
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
        `cluster: bigint`, from 0; `feature: bigint`, from 0; `value: double`, a coordinate of the cluster's center.
        Its attribute `sparkgap` is the `Call`, whose `figures` hold `objective`, the sum of weight * distance to the
        nearest center; `training_cost`, the same before the last iteration.

    Raises
    ------
    ArgumentError
        A parameter is out of its range, or there are more ranks than rows.
    DataError
        No rows; a column that is missing or of a wrong type; nulls; no rows, NaN, rows of unequal lengths, no weight
        above 0, under cosine a row of zeroes.
    ResourceError
        The store or the memory has no room.
    LaunchError
        A rank died or could not be started, or the deadline passed.

    Notes
    -----
    Lloyd's iterations, as MLlib's KMeans: each row goes to the nearest center, each center to the mean of its rows; a
    center without rows stays where it is. Time O(rows * features * k * iterations). The same seed starts from the same
    rows for every ranks x threads.

    References
    ----------
    Lloyd, "Least squares quantization in PCM", 1982.
    Bahmani et al., "Scalable K-Means++", 2012.

    Examples
    --------
    >>> points = spark.createDataFrame([([0.0, 1.0],), ([1.0, 1.0],), ([9.0, 5.0],)], "features array<double>")
    >>> rows = kmeans(points, k=2).collect()
    >>> sorted((r.feature, r.value) for r in rows)
    [(0, 0.5), (0, 9.0), (1, 1.0), (1, 5.0)]
    """
    return call_kernel("kmeans", "ml", locals())


def lda(
    data: DataFrame,
    *,
    features: str | Sequence[str] | None = None,
    doc: str | None = None,
    word: str | None = None,
    count: str | None = None,
    k: int = 10,
    max_iter: int = 20,
    optimizer: Literal["online", "em"] = "online",
    doc_concentration: float | None = None,
    topic_concentration: float | None = None,
    learning_offset: float = 1024.0,
    learning_decay: float = 0.51,
    subsampling_rate: float = 0.05,
    optimize_doc_concentration: bool = True,
    seed: int = 0,
    engine: Engine = "native",
    ranks: int | None = None,
    threads: int | None = None,
    timeout_s: float | None = None,
    result: str | None = None,
    progress: bool | None = None,
) -> DataFrame:
    """Topics of documents: latent Dirichlet allocation.

    Parameters
    ----------
    data : DataFrame
        One row per document, or one per document and word.
    features : str or sequence of str, optional
        Documents as vectors of counts: one column of vectors (sparse ones are read as they are) or of arrays of
        numbers, or several columns of numbers; finite and at least 0.
    doc : str, optional
        Instead of features: column of documents, whole numbers.
    word : str, optional
        With doc: column of words, whole numbers from 0 on.
    count : str, optional
        With doc: column that says how often, finite and at least 0; without one each row counts once.
    k : int, default 10
        How many topics. In [2, 65536] topics.
    max_iter : int, default 20
        How many iterations. At least 0 iterations.
    optimizer : {"online", "em"}, default "online"
        online: variational Bayes on draws of documents; em: expectation maximisation on all.
    doc_concentration : float, optional
        The larger, the more even are documents' mixtures of topics. em: above 1. None: 1 / k; em: 50 / k + 1. At least
        0.
    topic_concentration : float, optional
        The larger, the more even are topics' words. em: above 1. None: 1 / k; em: 1.1. At least 0.
    learning_offset : float, default 1024.0
        online: iteration t counts (learning_offset + t) ** -learning_decay. Above 0.
    learning_decay : float, default 0.51
        online: as said at learning_offset. At least 0.
    subsampling_rate : float, default 0.05
        online: how many of the documents an iteration draws. In (0, 1].
    optimize_doc_concentration : bool, default True
        online: whether doc_concentration is learnt, topic by topic.
    seed : int, default 0
        Other seeds start from other shares.
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
        `word: bigint`, from 0; `topic: bigint`, from 0; `value: double`, online: the parameter of the word in the
        topic; em: how many of its occurrences are from it.
        Its attribute `sparkgap` is the `Call`, whose `figures` hold `objective`, the logarithm of the likelihood,
        online: its lower bound; `doc_concentration`, by topic; `topic_concentration`, the one that was used;
        `vocabulary`, how many words; `log_prior`, em only.

    Raises
    ------
    ArgumentError
        A parameter is out of its range, or there are more ranks than rows.
    DataError
        No rows; a column that is missing or of a wrong type; nulls; NaN, counts below 0, words that are no whole
        numbers, no word at all.
    ResourceError
        The store or the memory has no room.
    LaunchError
        A rank died or could not be started, or the deadline passed.

    Notes
    -----
    As MLlib's LDA. Neither or both of features and doc is an ArgumentError; the rows of a document may lie anywhere,
    and rows of the same word add up. em runs in single precision: the likelihood is within 1e-6 of what double
    precision gives. The same seed starts from the same shares for every ranks x threads.

    References
    ----------
    Hoffman, Blei, Bach, "Online learning for latent Dirichlet allocation", 2010.
    Asuncion, Welling, Smyth, Teh, "On smoothing and inference for topic models", 2009.

    Examples
    --------
    >>> rows = spark.createDataFrame([(1, 0, 3), (1, 1, 2), (2, 2, 4), (2, 3, 1)], "doc int, word int, n int")
    >>> topics = lda(rows, doc="doc", word="word", count="n", k=2, optimizer="em")
    >>> round(sum(r.value for r in topics.collect()), 3)
    10.0
    """
    return call_kernel("lda", "ml", locals())


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
    tol: float = 1e-06,
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
    features : str or sequence of str, default "features"
        One column of vectors (sparse ones are read as they are) or of arrays of numbers, or several columns of numbers;
        all finite.
    label : str, default "label"
        Column of data with what is to be learnt, finite numbers.
    weight : str, optional
        Column of data with weights, finite and at least 0; without one every row weighs 1.
    reg_param : float, default 0.0
        How much large coefficients cost. At least 0.
    elastic_net_param : float, default 0.0
        How much of that is L1: 0 is ridge, 1 is lasso. In [0, 1].
    fit_intercept : bool, default True
        Whether there is an intercept.
    standardization : bool, default True
        Whether coefficients cost in units of their feature's deviation.
    solver : {"auto", "normal", "l-bfgs"}, default "auto"
        All solve the normal equations; l-bfgs takes deviations by rows less one, as MLlib's does.
    max_iter : int, default 100
        At most that many iterations, where L1 or a singular matrix take some. At least 0 iterations.
    tol : float, default 1e-06
        Iterations end there at the latest; they go on to 1e-10. At least 0.
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
        `class: bigint`, always 0; `feature: bigint`, from 0; -1 for the intercept; `value: double`, a coefficient.
        Its attribute `sparkgap` is the `Call`, whose `figures` hold `objective`, half the mean squared error with what
        coefficients cost; `objective_history`, the same by iteration; `diagonal`, that of (X'WX)^-1, the intercept
        last; 0 alone where it is not known.

    Raises
    ------
    ArgumentError
        A parameter is out of its range, or there are more ranks than rows.
    DataError
        No rows; a column that is missing or of a wrong type; nulls; no rows, NaN, rows of unequal lengths, no weight
        above 0, more than 4096 numbers in a row.
    ResourceError
        The store or the memory has no room.
    LaunchError
        A rank died or could not be started, or the deadline passed.

    Notes
    -----
    One pass sums the products of all pairs of columns, as MLlib's normal solver. Where features depend on each other
    and reg_param is 0, the shortest of all solutions comes out; a constant feature has the coefficient 0. Time O(rows *
    features^2).

    References
    ----------
    Friedman, Hastie, Tibshirani, "Regularization Paths for Generalized Linear Models via Coordinate Descent", 2010.

    Examples
    --------
    >>> rows = spark.createDataFrame([(0.0, 1.0), (1.0, 3.0), (2.0, 5.0)], "x double, y double")
    >>> [(r.feature, round(r.value, 6)) for r in linreg(rows, features="x", label="y").collect()]
    [(-1, 1.0), (0, 2.0)]
    """
    return call_kernel("linreg", "ml", locals())


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
    tol: float = 1e-06,
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
    features : str or sequence of str, default "features"
        One column of vectors (sparse ones are read as they are) or of arrays of numbers, or several columns of numbers;
        all finite.
    label : str, default "label"
        Column of data with what is to be learnt, finite numbers.
    weight : str, optional
        Column of data with weights, finite and at least 0; without one every row weighs 1.
    family : {"auto", "binomial", "multinomial"}, default "auto"
        auto: binomial with up to two classes, else multinomial.
    reg_param : float, default 0.0
        How much large coefficients cost. At least 0.
    elastic_net_param : float, default 0.0
        How much of that is L1: 0 is ridge, 1 is lasso. In [0, 1].
    fit_intercept : bool, default True
        Whether there is an intercept.
    standardization : bool, default True
        Whether coefficients cost in units of their feature's deviation.
    max_iter : int, default 100
        At most that many iterations. At least 0 iterations.
    tol : float, default 1e-06
        Ends where the gradient, or the progress of twenty iterations, relative to the objective, is below it. At least
        0.
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
        `class: bigint`, binomial has one, 0, whose numbers are the log-odds of label 1; `feature: bigint`, from 0; -1
        for the intercept; `value: double`, a coefficient.
        Its attribute `sparkgap` is the `Call`, whose `figures` hold `objective`, the mean loss with what coefficients
        cost; `objective_history`, the same by iteration; `classes`, how many there are.

    Raises
    ------
    ArgumentError
        A parameter is out of its range, or there are more ranks than rows.
    DataError
        No rows; a column that is missing or of a wrong type; nulls; no rows, NaN, rows of unequal lengths, no weight
        above 0, other labels than whole numbers from 0 on.
    ResourceError
        The store or the memory has no room.
    LaunchError
        A rank died or could not be started, or the deadline passed.

    Notes
    -----
    As MLlib's LogisticRegression: L-BFGS, with L1 OWL-QN. Labels are whole numbers from 0 on; binomial with more than
    two classes is an ArgumentError. One class only and an intercept: coefficients 0, intercept infinite. Time O(rows *
    features * classes * iterations).

    References
    ----------
    Nocedal, Wright, "Numerical Optimization", 2006.
    Andrew, Gao, "Scalable training of L1-regularized log-linear models", 2007.

    Examples
    --------
    >>> rows = spark.createDataFrame([(0, 0.0), (0, 2.0), (1, 1.0), (1, 3.0)], "label int, x double")
    >>> model = logreg(rows, features="x").orderBy("feature")
    >>> [(r.feature, round(r.value, 3)) for r in model.collect()]
    [(-1, -1.362), (0, 0.908)]
    """
    return call_kernel("logreg", "ml", locals())


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
    features : str or sequence of str, default "features"
        One column of vectors (sparse ones are read as they are) or of arrays of numbers, or several columns of numbers;
        all finite.
    label : str, default "label"
        Column of data with what is to be learnt, finite numbers.
    weight : str, optional
        Column of data with weights, finite and at least 0; without one every row weighs 1.
    smoothing : float, default 1.0
        Added to every count; not for gaussian. At least 0.
    model_type : {"multinomial", "complement", "bernoulli", "gaussian"}, default "multinomial"
        multinomial and complement count features, bernoulli rows that have them; gaussian takes mean and variance.
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
        `term: string`, pi, theta or sigma; `class: double`, the label; `feature: bigint`, from 0; -1 beside pi; `value:
        double`, pi: the logarithm of the class's share; theta: the logarithm of a feature's share in the class,
        gaussian: its mean; sigma: its variance, gaussian only.
        Its attribute `sparkgap` is the `Call`.

    Raises
    ------
    ArgumentError
        A parameter is out of its range, or there are more ranks than rows.
    DataError
        No rows; a column that is missing or of a wrong type; nulls; no rows, NaN, rows of unequal lengths, no weight
        above 0, features or labels other than said below.
    ResourceError
        The store or the memory has no room.
    LaunchError
        A rank died or could not be started, or the deadline passed.

    Notes
    -----
    As MLlib's NaiveBayes, whose model takes these numbers. Features are at least 0 for multinomial and complement, 0 or
    1 for bernoulli; labels are whole numbers of at least 0, not necessarily without gaps. Time O(rows * features).

    References
    ----------
    Manning, Raghavan, Schuetze, "Introduction to Information Retrieval, chapter 13", 2008.
    Rennie et al., "Tackling the Poor Assumptions of Naive Bayes Text Classifiers", 2003.

    Examples
    --------
    >>> import math
    >>> rows = spark.createDataFrame([(0, 1.0, 0.0), (1, 0.0, 2.0), (1, 1.0, 1.0)], "label int, a double, b double")
    >>> model = naivebayes(rows, features=["a", "b"]).filter("term = 'theta'").orderBy("class", "feature")
    >>> [round(math.exp(r.value), 3) for r in model.collect()]
    [0.667, 0.333, 0.333, 0.667]
    """
    return call_kernel("naivebayes", "ml", locals())
