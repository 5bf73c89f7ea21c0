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
    native = native_estimator(spec.name)
    estimator = (native if engine == "native" else native.__mro__[2])()
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
    made_small = native._objective(model, frame)
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


def native_estimator(kernel: str) -> Any:
    """The class that fits by a kernel; the next of its bases but one is the one of pyspark.ml.

    Examples
    --------
    >>> native_estimator("kmeans").__mro__[2]
    <class 'pyspark.ml.clustering.KMeans'>
    """
    from ..ml import classification, clustering, regression  # noqa: F401 - they name what they fit by
    from ..ml.native_estimator import NativeEstimator

    return next(cls for cls in NativeEstimator.__subclasses__() if cls.kernel == kernel)


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


def camel(name: str) -> str:
    """The name that pyspark.ml has for a parameter.

    Examples
    --------
    >>> camel("elastic_net_param")
    'elasticNetParam'
    """
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
