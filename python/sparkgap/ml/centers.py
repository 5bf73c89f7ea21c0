# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Clusters round centers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from .origin import Engine, call_on

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def kmeans(
    data: DataFrame,
    *,
    features: str | Sequence[str] = "features",
    weight: str | None = None,
    k: int = 2,
    distance_measure: Literal["euclidean", "cosine"] = "euclidean",
    init_mode: Literal["k-means||", "random"] = "k-means||",
    init_steps: int = 2,
    tol: float = 1e-4,
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
        One row per point.
    features : str or sequence of str
        One column of vectors or of arrays of numbers, or several columns of numbers; all finite.
    weight : str, optional
        Column of weights, finite and at least 0; without one every row weighs 1.
    k : int
        At most that many clusters, at least 2. Fewer where there are fewer different points.
    distance_measure : str
        "euclidean": the squared distance; "cosine": 1 - cosine, every row counts as scaled to length 1.
    init_mode : str
        Where centers start: "k-means||", or "random" rows.
    init_steps : int
        Steps of k-means||.
    tol : float
        Ends when no center moves by more, in the distance (cosine: the cosine distance).
    max_iter : int
        At most that many iterations.
    seed : int
        Other seeds start from other rows; the same seed from the same for every ranks x threads.
    engine, ranks, threads, timeout_s, result, progress
        As for `sparkgap.graph.pagerank`.

    Returns
    -------
    DataFrame
        The centers: `cluster: bigint`, `feature: bigint`, both from 0, `value: double`. `sparkgap.last_call().figures`
        has `objective`, the sum of weight * distance to the nearest center, and `training_cost`, the same before the
        last iteration.

    Raises
    ------
    ArgumentError, DataError, ResourceError, LaunchError
        As for `sparkgap.graph.pagerank`. DataError: no rows, nulls, NaN, unequal lengths, no weight above 0; a row of
        zeroes under "cosine".

    Notes
    -----
    Lloyd's iterations, as MLlib's KMeans: each row goes to the nearest center, each center to the mean of its rows; a
    center without rows stays where it is.

    References
    ----------
    Lloyd, "Least squares quantization in PCM", 1982; Bahmani et al., "Scalable K-Means++", 2012.

    Examples
    --------
    >>> points = spark.createDataFrame([([0.0, 1.0],), ([1.0, 1.0],), ([9.0, 5.0],)], "features array<double>")
    >>> rows = kmeans(points, k=2).collect()
    >>> sorted((r.feature, r.value) for r in rows)
    [(0, 0.5), (0, 9.0), (1, 1.0), (1, 5.0)]
    """
    return call_on("kmeans", locals())
