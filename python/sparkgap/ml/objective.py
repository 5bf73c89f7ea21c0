# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Parts of the objectives that estimators minimize, computed from their models: the same for both engines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from pyspark.ml.functions import array_to_vector, vector_to_array
from pyspark.ml.stat import Summarizer
from pyspark.sql import functions as F

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def cost(model: Any, frame: DataFrame) -> float:
    """Sum of weight * distance to the center of a point's cluster."""
    point = vector_to_array(model.getFeaturesCol())
    centers = F.array(*(F.array(*(F.lit(float(x)) for x in center)) for center in model.clusterCenters()))
    center = F.get(centers, F.col(model.getPredictionCol()))

    def dot(a: Any, b: Any) -> Any:
        return F.aggregate(F.zip_with(a, b, lambda x, y: x * y), F.lit(0.0), lambda total, x: total + x)

    def squared(a: Any, b: Any) -> Any:
        return F.aggregate(F.zip_with(a, b, lambda x, y: (x - y) * (x - y)), F.lit(0.0), lambda total, x: total + x)

    distance = (
        squared(point, center)
        if model.getDistanceMeasure() == "euclidean"
        else 1 - dot(point, center) / F.sqrt(dot(point, point) * dot(center, center))
    )
    weight = F.col(model.getWeightCol()) if model.isDefined("weightCol") else F.lit(1.0)
    found = model.transform(frame).agg(F.sum(distance * weight)).first()
    return float(found[0])


def penalty(model: Any, frame: DataFrame) -> float:
    """What the coefficients cost (kernels/linreg/linreg.md)."""
    reg, alpha = model.getRegParam(), model.getElasticNetParam()
    if reg == 0:
        return 0.0
    weight = F.col(model.getWeightCol()).cast("double") if model.isDefined("weightCol") else F.lit(1.0)
    label = array_to_vector(F.array(F.col(model.getLabelCol()).cast("double")))
    found = frame.agg(
        Summarizer.variance(F.col(model.getFeaturesCol()), weight),
        Summarizer.variance(label, weight),
        F.sum(weight * weight) / F.pow(F.sum(weight), 2),
    ).first()
    # MLlib's variance is that of a sample; its normal solver divides by all of the weight.
    scale = 1.0 if model.getSolver() == "l-bfgs" else 1 - found[2]
    s, t = np.sqrt(found[0].toArray() * scale), float(np.sqrt(found[1][0] * scale))
    c = model.coefficients.toArray() * (s if model.getStandardization() else 1.0)
    return float(reg * (alpha * np.abs(c).sum() + (1 - alpha) / 2 / (t or 1.0) * (c**2).sum()))
