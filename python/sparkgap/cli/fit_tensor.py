# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`sparkgap run` of a kernel on tensors: a model made of a file's rows, saved as a folder."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ..call import Call, call
from ..files.destinations import put_aside
from .fit_estimator import camel

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from .run_request import Request


def fit_and_save(request: Request, data: DataFrame) -> Call:
    """Run the kernel and save what it finds in the request's folder, which `sparkgap.tensor.CPDModel.load` takes.

    Returns
    -------
    Call
        What it cost; its `figures` have `objective` and `fit`.
    """
    from ..tensor.estimator import CPD, CPDModel, type_names

    rows = call(
        request.spec.name,
        request.spec.family,
        {"data": data},
        request.values,
        spark=data.sparkSession,
        engine=request.engine,
        ranks=request.ranks,
        threads=request.threads,
        timeout_s=request.timeout_s,
    )
    done: Call = rows.sparkgap
    estimator = CPD(**{camel(name): value for name, value in request.values.items()})
    model = estimator._copyValues(CPDModel(rows, type_names(data, estimator.getModes()), done.figures))
    assert request.out is not None  # as a model has
    start = time.monotonic()
    with put_aside(request.out, overwrite=request.overwrite) as aside:
        model.save(f"file://{aside}")
    done.phases = {**done.phases, "readback_s": time.monotonic() - start}
    return done
