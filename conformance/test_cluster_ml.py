# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Kernels that learn, their ranks on three hosts of a real Spark cluster, beside one rank on the driver's host."""

import numpy as np
import pytest
from pyspark.ml.linalg import Vectors

import sparkgap
import sparkgap.ml.regression
from sparkgap import spec

ROWS, GROUPS, WIDTH = 300, 3, 6
# So few topics and clusters, so far apart, that from nearly all rows they end at the same.
GIVEN = {
    "kmeans": {"k": GROUPS, "tol": 1e-9},
    "lda": {
        "features": "features",
        "k": GROUPS,
        "optimizer": "em",
        "max_iter": 200,
        "doc_concentration": 1.1,
        "topic_concentration": 1.1,
    },
    "linreg": {"reg_param": 0.1, "weight": "w"},
    "logreg": {"label": "class", "reg_param": 0.1, "tol": 1e-12},
    "naivebayes": {"label": "class", "weight": "w"},
    "cpd": {"modes": ["user", "item", "day"], "value": "x", "rank": 2, "max_iter": 20, "tol": 0.0},
}


def frame(spark):
    """Counts of six words, of which each of three groups of rows has two of its own; every third vector sparse."""
    random = np.random.default_rng(4)
    group = np.arange(ROWS) % GROUPS
    counts = random.poisson(30.0, size=(ROWS, WIDTH)) * (np.arange(WIDTH) // 2 == group[:, None])
    label = counts @ np.arange(1.0, WIDTH + 1) + random.normal(size=ROWS)
    vectors = [Vectors.dense(c) if i % 3 else Vectors.sparse(WIDTH, list(enumerate(c))) for i, c in enumerate(counts)]
    rows = [
        (v, float(y), float(g), float(1 + i % 2)) for i, (v, y, g) in enumerate(zip(vectors, label, group, strict=True))
    ]
    return spark.createDataFrame(rows, ["features", "label", "class", "w"]).repartition(6)


def entries(spark):
    """Of a tensor of rank 2 and some noise, keys of both kinds, some rows in two parts."""
    random = np.random.default_rng(6)
    a, b, c = (random.random((n, 2)) + 0.1 for n in (11, 9, 7))
    exact = np.einsum("ir,jr,kr->ijk", a, b, c) + random.normal(size=(11, 9, 7)) / 50
    rows = [
        (f"u{i}", -j, k, float(x) / (1 + k % 2)) for (i, j, k), x in np.ndenumerate(exact) for _ in range(1 + k % 2)
    ]
    return spark.createDataFrame(rows, "user string, item int, day int, x double").repartition(6)


def learnt(spark, kernel):
    """The numbers of a model, clusters and topics in an order of their own, and how many ranks there were."""
    run, data = (
        (sparkgap.tensor.cpd, entries(spark)) if kernel == "cpd" else (getattr(sparkgap.ml, kernel), frame(spark))
    )
    # Rows come in an order of their own each time, and some starts of clusters (two of 60) and topics lead to a lesser
    # optimum.
    better = {"kmeans": -1, "lda": 1}.get(kernel)
    starts = [{"seed": seed} for seed in range(1, 5)] if better else [{}]
    tried = [run(data, threads=1, progress=False, **GIVEN[kernel], **start) for start in starts]
    made = max(tried, key=lambda made: better * made.sparkgap.figures["objective"][0]) if better else tried[0]
    rows = sorted(tuple(r) for r in made.collect())  # their last column is what was learnt
    values = np.hstack([r[-1] for r in rows])
    if kernel in ("kmeans", "lda"):
        parts = values.reshape((GROUPS, WIDTH) if kernel == "kmeans" else (WIDTH, GROUPS))
        parts = parts if kernel == "kmeans" else parts.T
        values = parts[np.argsort(parts.argmax(axis=1))].ravel()
    return values, made.sparkgap.ranks


@pytest.fixture(scope="module")
def alone(sessions):
    """What one rank learns, made before the session on the hosts is."""
    spark = sessions.of("classic")
    return {kernel: learnt(spark, kernel)[0] for kernel in GIVEN}


def test_every_kernel_is_here():
    assert set(GIVEN) == {n for n in spec.names() if spec.load(n).family in ("ml", "tensor")}


@pytest.mark.parametrize("kernel", GIVEN)
def test_kernel(alone, hosts, kernel):
    values, ranks = learnt(hosts, kernel)
    assert ranks > 1
    # Topics wander on for ever, slower and slower.
    np.testing.assert_allclose(
        values, alone[kernel], rtol=1e-3 if kernel == "lda" else 1e-8, atol=1e-2 if kernel == "lda" else 1e-9
    )


def test_estimator(hosts):
    """The model's rows come from the host of rank 0 to the driver."""
    model = sparkgap.ml.regression.LinearRegression(weightCol="w").fit(frame(hosts))
    assert list(model.coefficients) == pytest.approx(range(1, WIDTH + 1), abs=0.1)
