# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What documents are about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from .origin import Engine, call_on

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


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
        One row per document with `features`, or one per document and word with `doc` and `word`.
    features : str or sequence of str, optional
        Documents as vectors of counts: one column of vectors (sparse ones are read as they are) or of arrays of
        numbers, or several columns of numbers; finite and at least 0.
    doc, word : str, optional
        Instead of `features`: columns of documents, whole numbers, and of words, whole numbers from 0 on. The rows of a
        document may lie anywhere.
    count : str, optional
        With `doc`: column that says how often, finite and at least 0; without one each row counts once. Rows of the
        same word add up.
    k : int
        How many topics, at least 2.
    max_iter : int
        How many iterations.
    optimizer : str
        "online": variational Bayes on draws of documents; "em": expectation maximisation on all of them.
    doc_concentration : float, optional
        The larger, the more even are documents' mixtures of topics. "em": above 1. None: 1 / k; "em": 50 / k + 1.
    topic_concentration : float, optional
        The larger, the more even are topics' words. "em": above 1. None: 1 / k; "em": 1.1.
    learning_offset, learning_decay : float
        "online": iteration t counts (learning_offset + t) ** -learning_decay.
    subsampling_rate : float
        "online": how many of the documents an iteration draws, in (0, 1].
    optimize_doc_concentration : bool
        "online": whether doc_concentration is learnt, topic by topic.
    seed : int
        Other seeds start from other shares; the same seed from the same for every ranks x threads.
    engine, ranks, threads, timeout_s, result, progress
        As for `sparkgap.graph.pagerank`.

    Returns
    -------
    DataFrame
        `word: bigint`, `topic: bigint`, both from 0, `value: double`: how much the word belongs to the topic; "em": how
        many of its occurrences are from it. `sparkgap.last_call().figures` has `objective`, the logarithm of the
        likelihood ("online": its lower bound), `doc_concentration` by topic, `topic_concentration`, `vocabulary`, and
        for "em" `log_prior`.

    Raises
    ------
    ArgumentError, DataError, ResourceError, LaunchError
        As for `sparkgap.graph.pagerank`. ArgumentError: neither or both of `features` and `doc`; DataError: nulls, NaN,
        counts below 0, words that are no whole numbers, no word at all.

    Notes
    -----
    As MLlib's LDA. "em" runs in single precision: the likelihood is within 1e-6 of what double precision gives.

    References
    ----------
    Hoffman, Blei, Bach, "Online learning for latent Dirichlet allocation", 2010; Asuncion, Welling, Smyth, Teh, "On
    smoothing and inference for topic models", 2009.

    Examples
    --------
    >>> rows = spark.createDataFrame([(1, 0, 3), (1, 1, 2), (2, 2, 4), (2, 3, 1)], "doc int, word int, n int")
    >>> topics = lda(rows, doc="doc", word="word", count="n", k=2, optimizer="em")
    >>> round(sum(r.value for r in topics.collect()), 3)
    10.0
    """
    return call_on("lda", locals())
