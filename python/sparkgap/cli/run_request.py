# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What `sparkgap run` does: a file in, a kernel, a file out."""

from __future__ import annotations

import contextlib
import importlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from ..call import COMMON, Call, call, phase_order
from ..errors import DataError
from ..files.text_options import TextOptions
from ..scratch import scratch
from ..session import running, session
from ..spec import Spec
from .spark import command_settings, interrupt_plainly, status
from .text_files import check_files, check_types

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# Families whose kernels give a model, and what loads the folder that it is saved in.
MODELS = {"ml": "MLlib", "tensor": "sparkgap.tensor.CPDModel"}
_FITS = {"ml": ".fit_estimator", "tensor": ".fit_tensor"}
_TOP = 10


@dataclass(frozen=True)
class Request:
    """What a command line asks for; `files` are the inputs by name, `values` the kernel's parameters that were
    given.
    """

    spec: Spec
    files: Mapping[str, Path]
    values: Mapping[str, Any]
    out: str | Path
    engine: str = "native"
    ranks: int | None = None
    threads: int | None = None
    timeout_s: float | None = None
    store: Path | None = None
    conf: Mapping[str, str] = field(default_factory=dict)
    overwrite: bool = False
    how: TextOptions = field(default_factory=TextOptions)

    def settings(self) -> dict[str, str]:
        """Spark's settings for this request, the user's --conf last."""
        return command_settings(self.store, self.conf, short=self.engine == "native")

    def master(self) -> str:
        """All cores, or as many as ranks x threads ask for."""
        return f"local[{(self.ranks or 1) * self.threads}]" if self.threads else "local[*]"


@dataclass(frozen=True)
class Outcome:
    """The call's figures with reading and saving added, and the first rows by the last column where asked for."""

    call: Call
    startup_s: float
    top: list[tuple[Any, ...]]
    columns: list[str]

    def as_json(self, out: str | Path) -> dict[str, Any]:
        """The object of `--json`."""
        objective: dict[str, Any] = {
            name: self.call.figures[name][0] for name in ("objective", "fit") if name in self.call.figures
        }
        return {**asdict(self.call), **objective, "startup_s": self.startup_s, "out": str(out)}


def parse(spec: Spec, words: Mapping[str, str | None], *, typed: str = "--{}") -> dict[str, Any]:
    """The values that the words of a command line mean, by parameter; those that were not given are left out.

    Raises
    ------
    ArgumentError
        A word is not a value of its parameter.
    """
    known = {p.name: p for p in (*spec.parameters, *COMMON)}
    return {
        name: known[name].parse(word, where=typed.format(name.removesuffix("_s").replace("_", "-")))
        for name, word in words.items()
        if word is not None
    }


def run(request: Request, *, top: bool, console: IO[str]) -> Outcome:
    """Start Spark, read, call, save, stop; a session that runs in this process already is used and left running.

    Parameters
    ----------
    request : Request
    top : bool
        Also fetch the ten rows with the highest last column.
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
    from ..files import outputs

    if request.spec.family in MODELS:
        outputs.check_model(request.out, overwrite=request.overwrite)
        from ..ml import pyspark_ml  # noqa: F401 - says which package is missing
    else:
        outputs.kind_of(request.out)
        outputs.check(request.out, overwrite=request.overwrite)
    check_files(request.files.values(), request.how)
    started = time.monotonic()
    found = running()
    with status(console, "starting Spark"):
        spark = session(request.master(), app_name=f"sparkgap run {request.spec.name}", conf=request.settings())
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
        check_types(request.how, read, request.files)
        frames = {i.name: _cached(request, i.name, read, cached) for i in request.spec.tables}
    read_s = time.monotonic() - start
    if request.spec.family in MODELS:
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
    with status(console, f"saving {request.out}"):
        from ..files import outputs

        outputs.save(result, request.out, overwrite=request.overwrite)
    saved = time.monotonic()
    figures.phases = dict(
        sorted({**figures.phases, "read_s": read_s, "readback_s": saved - end}.items(), key=lambda p: phase_order(p[0]))
    )
    figures.total_s = saved - start
    rows = [tuple(row) for row in _top(result, request.spec).collect()] if top else []
    return Outcome(figures, startup_s, rows, result.columns)


def _read(spark: SparkSession, request: Request, name: str, folder: Path) -> DataFrame:
    """An input as it is."""
    from ..files import inputs

    names = request.spec.columns_of(name, dict(request.values))
    return inputs.read(
        spark, request.files[name], names, what=name, needed=needed(request, names), how=request.how, folder=folder
    )


def needed(request: Request, names: Sequence[str]) -> list[str]:
    """The columns of an input that the kernel needs."""
    absent = [p for p in request.spec.parameters if p.default is None and request.values.get(p.name) is None]
    optional = {p.name for p in absent if p.kind in ("column", "columns")}
    return [n for n in dict.fromkeys(names) if n not in optional]


def _cached(
    request: Request, name: str, read: Mapping[str, DataFrame], cached: contextlib.ExitStack
) -> DataFrame | None:
    """The columns of an input that are needed, cached until the stack is unwound, and counted."""
    frame = read.get(name)
    if frame is None:
        return None
    names = needed(request, request.spec.columns_of(name, dict(request.values)))
    if all(n in frame.columns for n in names):
        frame = frame.select(*("`" + n.replace("`", "``") + "`" for n in names))
    frame = frame.cache()
    cached.callback(frame.unpersist, True)
    if frame.count() == 0:
        raise DataError.of(name, "at least one row", f"none in {request.files[name]}", "Give a file with data.")
    return frame


def _top(result: DataFrame, spec: Spec) -> DataFrame:
    """The ten rows that people want to see first; a generator's rows have no order to sort by."""
    from pyspark.sql import functions as F

    if not spec.inputs:
        return result.limit(_TOP)
    return result.orderBy(F.desc(spec.output[-1][0]), spec.output[0][0]).limit(_TOP)
