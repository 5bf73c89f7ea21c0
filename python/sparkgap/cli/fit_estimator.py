# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`sparkgap run` of a kernel that learns: an estimator fitted on a file's rows, its model saved as MLlib loads it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from ..call import Call, last_call
from ..errors import ArgumentError
from ..files.destinations import put_aside

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from .run_request import Request

_COLUMNS = {"label": "labelCol", "weight": "weightCol"}
_FEATURES = ("features", "doc", "word", "count")


def fit_and_save(request: Request, data: DataFrame) -> Call:
    """Fit the kernel's estimator and save its model in the request's folder.

    Returns
    -------
    Call
        What it cost; its `figures` have `objective` where the kernel says what that is.
    """
    spec, values = request.spec, request.values
    estimator = native_estimator(spec.name)()
    given = {_COLUMNS.get(k) or camel(k): v for k, v in values.items() if k not in _FEATURES}
    if given.get("docConcentration") is not None:
        given["docConcentration"] = [given["docConcentration"]]
    columns = values.get("features") or next(p.default for p in spec.parameters if p.name == "features")
    frame, given["featuresCol"] = (
        as_vectors(data, columns) if columns else as_documents(data, *(values.get(name) for name in _FEATURES[1:]))
    )
    given.update({camel(name): getattr(request, name) for name in ("engine", "ranks", "threads", "timeout_s")})
    estimator._set(**{k: v for k, v in given.items() if v is not None})
    model = estimator.fit(frame)
    done = last_call()
    assert done is not None  # the fit has just ended
    assert request.out is not None  # as a model has
    start = time.monotonic()
    with put_aside(request.out, overwrite=request.overwrite) as aside:
        model.write().save(f"file://{aside}")
    done.phases["readback_s"] = done.phases.get("readback_s", 0) + time.monotonic() - start
    done.table = str(request.out)
    if done.engine == "spark":  # which does not say
        done.rows_in = frame.count()
        made_small = estimator._objective(model, frame)
        done.figures = {} if made_small is None else {"objective": [made_small]}
    return done


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
