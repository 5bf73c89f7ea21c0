# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`sparkgap run` of a kernel on tensors: a model made of a file's rows, saved as a folder."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..call import Call, call
from ..files.outputs import check_model, put_aside
from .fit_estimator import camel

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from ..spec import Spec


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
    """Run the kernel and save what it finds in the folder `out`, which `sparkgap.tensor.CPDModel.load` takes.

    Returns
    -------
    Call
        What it cost; its `figures` have `objective` and `fit`.
    """
    from ..tensor.estimator import CPD, CPDModel, type_names

    check_model(out, overwrite=overwrite)
    rows = call(
        spec.name,
        spec.family,
        {"data": data},
        values,
        spark=data.sparkSession,
        engine=engine,
        ranks=ranks,
        threads=threads,
        timeout_s=timeout_s,
    )
    done: Call = rows.sparkgap
    estimator = CPD(**{camel(name): value for name, value in values.items()})
    model = estimator._copyValues(CPDModel(rows, type_names(data, estimator.getModes()), done.figures))
    start = time.monotonic()
    with put_aside(out, overwrite=overwrite) as aside:
        model.save(f"file://{aside}")
    done.phases = {**done.phases, "readback_s": time.monotonic() - start}
    return done
