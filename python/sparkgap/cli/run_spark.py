# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`sparkgap run` through Spark: it starts, reads, calls, saves and stops."""

from __future__ import annotations

import contextlib
import importlib
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING

from ..call import Call, call, phase_order
from ..errors import DataError
from ..files import outputs
from ..scratch import scratch
from ..session import running, session
from .run_request import Outcome, Request
from .spark import command_settings, interrupt_plainly, status
from .text_files import check_types

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_FITS = {"ml": ".fit_estimator", "tensor": ".fit_tensor"}


def run(request: Request, *, top: bool, console: IO[str]) -> Outcome:
    """Start Spark, read, call, save, stop; a session that runs in this process already is used and left running.

    Parameters
    ----------
    request : Request
    top : bool
        Also fetch the rows that people see.
    console : text stream
        The stream for people; the status line goes there if it is a terminal.

    Returns
    -------
    Outcome

    Raises
    ------
    SparkGapError
        As for the kernel's function, and for files that cannot be read or written.
    """
    request.check()
    if request.model:
        from ..ml import pyspark_ml  # noqa: F401 - says which package is missing
    started = time.monotonic()
    found = running()
    with status(console, "starting Spark"):
        spark = session(master(request), app_name=f"sparkgap run {request.spec.name}", conf=settings(request))
    startup_s = time.monotonic() - started
    if found is None:
        interrupt_plainly()
    try:
        return _run(spark, request, startup_s, top=top, console=console)
    finally:
        if found is None:
            spark.stop()


def _run(spark: SparkSession, request: Request, startup_s: float, *, top: bool, console: IO[str]) -> Outcome:
    with contextlib.ExitStack() as cached:
        return _run_on(spark, request, startup_s, cached, top=top, console=console)


def _run_on(
    spark: SparkSession,
    request: Request,
    startup_s: float,
    cached: contextlib.ExitStack,
    *,
    top: bool,
    console: IO[str],
) -> Outcome:
    start = time.monotonic()
    with status(
        console, "reading " + ", ".join(str(p) for p in request.files.values()) if request.files else "starting"
    ):
        folder = cached.enter_context(scratch())
        read = {i.name: _read(spark, request, i.name, folder) for i in request.spec.tables if i.name in request.files}
        check_types(request.how, {name: frame.columns for name, frame in read.items()}, request.files)
        frames = {i.name: _cached(request, i.name, read, cached) for i in request.spec.tables}
    read_s = time.monotonic() - start
    if request.model:
        fit = importlib.import_module(_FITS[request.spec.family], __package__)
        figures: Call = fit.fit_and_save(request, frames["data"])
        figures.phases = {"read_s": read_s, **figures.phases}
        figures.total_s = time.monotonic() - start
        return Outcome(figures, startup_s, [], [])
    result = call(
        request.spec.name,
        request.spec.family,
        frames,
        request.values,
        spark=spark,
        engine=request.engine,
        ranks=request.ranks,
        threads=request.threads,
        timeout_s=request.timeout_s,
    )
    figures = result.sparkgap
    end = time.monotonic()
    if request.out is not None:
        with status(console, f"saving {request.out}"):
            outputs.save(result, request.out, overwrite=request.overwrite)
    saved = time.monotonic()
    figures.phases = dict(
        sorted({**figures.phases, "read_s": read_s, "readback_s": saved - end}.items(), key=lambda p: phase_order(p[0]))
    )
    figures.total_s = saved - start
    rows = [tuple(row) for row in _top(result, request).collect()] if top else []
    return Outcome(figures, startup_s, rows, result.columns)


def _read(spark: SparkSession, request: Request, name: str, folder: Path) -> DataFrame:
    """An input as it is."""
    from ..files import inputs

    values = dict(request.values)
    names, needed = request.spec.columns_of(name, values), request.spec.needed_of(name, values)
    return inputs.read(spark, request.files[name], names, what=name, needed=needed, how=request.how, folder=folder)


def _cached(
    request: Request, name: str, read: Mapping[str, DataFrame], cached: contextlib.ExitStack
) -> DataFrame | None:
    """The columns of an input that are needed, cached until the stack is unwound, and counted."""
    frame = read.get(name)
    if frame is None:
        return None
    names = request.spec.needed_of(name, dict(request.values))
    if all(n in frame.columns for n in names):
        frame = frame.select(*("`" + n.replace("`", "``") + "`" for n in names))
    frame = frame.cache()
    cached.callback(frame.unpersist, True)
    if frame.count() == 0:
        raise DataError.of(name, "at least one row", f"none in {request.files[name]}", "Give a file with data.")
    return frame


def _top(result: DataFrame, request: Request) -> DataFrame:
    """The first rows in the order that is asked for, ties by the first column."""
    from pyspark.sql import functions as F

    by = request.shown.by(request.spec)
    if by is not None:
        result = result.orderBy((F.asc_nulls_last if request.shown.lowest else F.desc)(by), request.spec.output[0][0])
    return result.limit(request.shown.rows)


def settings(request: Request) -> dict[str, str]:
    """Spark's settings for a request, the user's --conf last."""
    here = request.master is None or request.master.startswith("local")
    return command_settings(request.store, request.conf, short=request.engine == "native", local=here)


def master(request: Request) -> str:
    """What was asked for, else all cores, or as many as ranks x threads are."""
    if request.master is not None:
        return request.master
    return f"local[{(request.ranks or 1) * request.threads}]" if request.threads else "local[*]"
