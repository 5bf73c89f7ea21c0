# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What estimators cannot learn from, and what their kernels do not do."""

import warnings

import numpy as np
import pytest
from pyspark.ml.linalg import Vectors

import sparkgap
from sparkgap.ml import clustering, regression


def test_what_a_kernel_does_not_do(spark, rows):
    huber = regression.LinearRegression(loss="huber", maxIter=3)
    with pytest.warns(UserWarning, match="LinearRegression: not fitted natively: loss = huber"):
        model = huber.fit(rows)
    assert model.scale != 1
    spark.conf.set("spark.sparkgap.ml.unsupported", "refuse")
    try:
        with warnings.catch_warnings(), pytest.raises(sparkgap.ArgumentError) as caught:
            warnings.simplefilter("ignore")
            huber.fit(rows)
    finally:
        spark.conf.unset("spark.sparkgap.ml.unsupported")
    assert (
        str(caught.value)
        == "LinearRegression: expected what the native kernel does, found loss = huber. Do change it, or set"
        " spark.sparkgap.ml.unsupported=spark for Spark's own."
    )


@pytest.mark.parametrize(
    ("features", "label", "weight", "text"),
    [
        ("array(1d, double('nan'))", "1d", "1d", "data.features: expected finite numbers, found NaN in row"),
        ("array(1d, double('infinity'))", "1d", "1d", "data.features: expected finite numbers, found infinity in row"),
        (
            "if(id = 3, array(1d), array(1d, 2d))",
            "1d",
            "1d",
            "data.features: expected 2 features as in the rows before, found 1 in row 4",
        ),
        ("array(1d, 2d)", "if(id = 3, null, 1d)", "1d", "data.label: expected finite numbers, found a null in row 4"),
        ("array(1d, 2d)", "1d", "1d - id", "data.w: expected finite numbers of at least 0, found"),
        ("array(1d, 2d)", "1d", "0d", "weight: expected a row with a weight above 0, found none"),
    ],
)
@pytest.mark.parametrize("spark", ["classic"], indirect=True)
def test_what_cannot_be_learnt_from(spark, features, label, weight, text):
    from pyspark.ml.functions import array_to_vector

    rows = spark.range(0, 8, 1, 1).selectExpr(f"{features} a", f"{label} label", f"{weight} w")
    rows = rows.select(array_to_vector("a").alias("features"), "label", "w")
    with pytest.raises(sparkgap.DataError) as caught:
        regression.LinearRegression(weightCol="w").fit(rows)
    assert str(caught.value).startswith(text)


@pytest.mark.parametrize("spark", ["classic"], indirect=True)
def test_what_is_learnt_from_little(spark, rows):
    with pytest.raises(sparkgap.DataError, match=r"^data: expected at least one row, found none"):
        regression.LinearRegression().fit(rows.limit(0))
    same = spark.createDataFrame([(Vectors.dense(1.0, 7.0), 2.0)] * 5, ["features", "label"])
    model = regression.LinearRegression().fit(same)
    assert (list(model.coefficients), model.intercept) == ([0.0, 0.0], 2.0)
    assert len(clustering.KMeans(k=3).fit(same).clusterCenters()) == 1
    frame = spark.createDataFrame([(1, 2.0, 5), (2, 4.0, 7), (3, 1.0, 9)], "a int, b float, y int")
    found = sparkgap.ml.linreg(frame, features=["a", "b"], label="y").collect()
    assert [r.feature for r in found] == [-1, 0, 1]
    np.testing.assert_allclose([r.value for r in found], [3, 2, 0], atol=1e-9)
    assert sparkgap.last_call().figures["objective"] == pytest.approx([0], abs=1e-12)
