# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The rows that the tests of estimators learn from, a fixture that conftest.py imports."""

import numpy as np
import pytest
from pyspark.ml.linalg import Vectors

ROWS, WIDTH = 240, 4


@pytest.fixture
def rows(spark):
    """Vectors, dense and sparse mixed, with a label that is linear in them, a class, small counts and weights, of which
    some are 0.
    """
    random = np.random.default_rng(1)
    x = random.normal(size=(ROWS, WIDTH)) + np.arange(WIDTH)
    x[:, 1] += x[:, 0]
    y = x @ [1.0, 2.0, 0.0, -1.0] + 3 + random.normal(size=ROWS) / 4
    counts = random.poisson(2.0, size=(ROWS, WIDTH)) * (1 + (np.arange(WIDTH) == 1) * (y > 3)[:, None])
    kinds = [Vectors.dense(a) if i % 3 else Vectors.sparse(WIDTH, range(WIDTH), a) for i, a in enumerate(x)]
    made = [
        (k, Vectors.dense(c), float(b), float(b > 3), float(i % 4))
        for i, (k, c, b) in enumerate(zip(kinds, counts, y, strict=True))
    ]
    return spark.createDataFrame(made, ["features", "counts", "label", "class", "w"])
