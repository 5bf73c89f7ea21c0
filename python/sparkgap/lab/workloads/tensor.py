# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The CP decomposition of a sparse tensor, from entries that are cached and counted to factors on the driver."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from ..application import Request

_MODES, _RANK = ("i", "j", "k"), 10


def cpd(spark: SparkSession, request: Request) -> None:
    """Of rank 10. Spark has none of its own: its side is as straightforward as that is (`spark_cpd`)."""
    entries = spark.read.parquet(request.input).cache()
    entries.count()
    if request.engine == "moves":
        from . import peers

        greatest = entries.selectExpr(*(f"max({name})" for name in _MODES)).first()
        assert greatest is not None  # a maximum is a row
        sizes = [(int(n) + 1) * _RANK for n in greatest]
        request.begin()
        request.add_parts(peers.moves(spark, [sum(sizes) - own for own in sizes], sizes, request.iterations))
        return
    request.begin()
    if request.engine == "sparkgap":
        from sparkgap.tensor import CPD

        model = CPD(rank=_RANK, modes=list(_MODES), maxIter=request.iterations, tol=0.0).fit(entries)
        lambdas = list(model.lambdas)
    else:
        from .spark_cpd import cpd as by_spark

        lambdas = by_spark(entries, _MODES, "value", rank=_RANK, iterations=request.iterations)[1].tolist()
    Path(request.output).write_text(f"{lambdas}\n", encoding="utf-8")
