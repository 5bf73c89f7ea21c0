# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`sparkgap run` of a kernel that learns: an estimator fitted on a file's rows, its model saved as MLlib loads it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..call import Call
from ..errors import ArgumentError
from ..files.outputs import check_model, put_aside

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from ..spec import Spec

_COLUMNS = {"label": "labelCol", "weight": "weightCol"}
_FEATURES = ("features", "doc", "word", "count")


def fit_and_save(
    spec: Spec,
    data: DataFrame,
    values: Mapping[str, Any],
    out: str | Path,
    *,
    engine: str,
    ranks: int | None,
    threads: int | None,
    timeout_s: float | None,
    overwrite: bool,
) -> Call:
    """Fit the kernel's estimator, sparkgap's or Spark's own, and save its model in the folder `out`.

    Returns
    -------
    Call
        What it cost; its `figures` have `objective` where the kernel says what that is.
    """
    check_model(out, overwrite=overwrite)
    estimator = estimator_of(spec.name, engine)()
    given = {_COLUMNS.get(k) or camel(k): v for k, v in values.items() if k not in _FEATURES and v is not None}
    if "docConcentration" in given:
        given["docConcentration"] = [given["docConcentration"]]
    columns = values.get("features") or next(p.default for p in spec.parameters if p.name == "features")
    frame, column = (
        as_vectors(data, columns) if columns else as_documents(data, *(values.get(name) for name in _FEATURES[1:]))
    )
    estimator._set(featuresCol=column, **given)
    settings = {
        "ranks": ranks,
        "threads": threads,
        "timeout": None if timeout_s is None else f"{max(1, round(timeout_s * 1000))}ms",
    }
    for key, value in settings.items():
        if value is not None:
            data.sparkSession.conf.set(f"spark.sparkgap.launch.{key}", str(value))
    start = time.monotonic()
    try:
        model = estimator.fit(frame)
    finally:
        for key, value in settings.items():
            if value is not None:
                data.sparkSession.conf.unset(f"spark.sparkgap.launch.{key}")
    fitted = time.monotonic()
    with put_aside(out, overwrite=overwrite) as aside:
        model.write().save(f"file://{aside}")
    made_small = objective(spec.name, model, frame)
    figures = {} if made_small is None else {"objective": [made_small]}
    iterations = (
        getattr(model.summary, "totalIterations", getattr(model.summary, "numIter", 0))
        if getattr(model, "hasSummary", False)
        else 0
    )
    return Call(
        kernel=spec.name,
        engine=engine,
        table=str(out),
        rows_in=frame.count(),
        rows_out=0,
        iterations=iterations,
        converged=iterations < estimator.getMaxIter() if estimator.hasParam("maxIter") else True,
        residual=None,
        ranks=ranks or 1,
        threads=threads or 0,
        total_s=0,
        bytes_copied=0,
        peak_rss_bytes=0,
        phases={"compute_s": fitted - start, "write_s": time.monotonic() - fitted},
        figures=figures,
    )


def estimator_of(kernel: str, engine: str) -> Any:
    """The class that fits by a kernel, sparkgap's or the one of pyspark.ml that it stands for.

    Examples
    --------
    >>> estimator_of("kmeans", "spark")
    <class 'pyspark.ml.clustering.KMeans'>
    """
    from ..ml import classification, clustering, regression  # noqa: F401 - they name what they fit by
    from ..ml.native_estimator import NativeEstimator

    native = next(cls for cls in NativeEstimator.__subclasses__() if cls.kernel == kernel)
    return native if engine == "native" else native.__mro__[2]


def as_vectors(data: DataFrame, columns: list[str]) -> tuple[DataFrame, str]:
    """The rows with their features as one column of vectors, and its name: it itself where it holds vectors, else
    `features`.

    Raises
    ------
    ArgumentError
        Several columns, of which one holds no numbers.
    """
    from pyspark.ml.feature import VectorAssembler
    from pyspark.ml.functions import array_to_vector
    from pyspark.ml.linalg import VectorUDT
    from pyspark.sql.types import ArrayType

    types = {f.name: f.dataType for f in data.schema.fields}
    if missing := [c for c in columns if c not in types]:
        raise ArgumentError.of(
            "--features", f"columns among {', '.join(types)}", ", ".join(missing), "Correct the names."
        )
    first = types[columns[0]]
    if len(columns) == 1 and isinstance(first, VectorUDT):
        return data, columns[0]
    if len(columns) == 1 and isinstance(first, ArrayType):
        return (
            data.withColumn(
                "features", array_to_vector(data["`" + columns[0].replace("`", "``") + "`"].cast("array<double>"))
            ),
            "features",
        )
    return (
        VectorAssembler(inputCols=columns, outputCol="features_of_row")
        .transform(data)
        .drop("features")
        .withColumnRenamed("features_of_row", "features"),
        "features",
    )


def as_documents(data: DataFrame, doc: str | None, word: str | None, count: str | None) -> tuple[DataFrame, str]:
    """A vector of whole counts per document from a row per document and word, as the column `features`, and that name.

    Raises
    ------
    ArgumentError
        The columns of documents and words are not given.
    """
    from pyspark.ml.feature import CountVectorizerModel
    from pyspark.sql import functions as F

    if doc is None or word is None:
        raise ArgumentError.of("--features", "--features, or --doc and --word", "neither", "Give one of these.")
    how_often = F.col(count).cast("int") if count else F.lit(1)
    size = int(data.agg(F.max(word)).first()[0]) + 1
    # Spark makes sparse vectors of words only: so each stands as often as it counts, which takes no Python on the
    # executors.
    words = data.groupBy(doc).agg(
        F.flatten(F.collect_list(F.array_repeat(F.col(word).cast("string"), how_often))).alias("words")
    )
    counter = CountVectorizerModel.from_vocabulary(
        [str(i) for i in range(size)], inputCol="words", outputCol="features"
    )
    return counter.transform(words).select("features"), "features"


def objective(kernel: str, model: Any, frame: DataFrame) -> float | None:
    """What the kernel makes small, of lda the bound of the likelihood, which it makes large; the same for both engines
    as it is computed from the model; else None.
    """
    if kernel == "lda":
        return float((model.toLocal() if model.isDistributed() else model).logLikelihood(frame))
    if kernel == "logreg":
        return float(model.summary.objectiveHistory[-1])
    if kernel == "kmeans":
        return cost(model, frame)
    if kernel == "linreg":
        return float(model.summary.meanSquaredError) / 2 + penalty(model, frame)
    return None


def cost(model: Any, frame: DataFrame) -> float:
    """Sum of weight * distance to the center of a point's cluster."""
    from pyspark.ml.functions import vector_to_array
    from pyspark.sql import functions as F

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
    import numpy as np
    from pyspark.ml.functions import array_to_vector
    from pyspark.ml.stat import Summarizer
    from pyspark.sql import functions as F

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


def camel(name: str) -> str:
    """The name that pyspark.ml has for a parameter.

    Examples
    --------
    >>> camel("elastic_net_param")
    'elasticNetParam'
    """
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
