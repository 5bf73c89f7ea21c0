# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What the function of a kernel does with its arguments: the job that they mean, and its result with figures."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import spec as specs
from ..call import COMMON, Call, remember
from ..errors import ArgumentError, DataError
from . import job, rows, segments
from .home import Home, home

if TYPE_CHECKING:
    import pyarrow as pa

# pyarrow, pandas, polars, anything with __arrow_c_stream__; a dict of columns; or a path.
Rows = Any
_OPTIONS = ("ranks", "threads", "timeout_s")


def call_kernel(kernel: str, given: Mapping[str, Any]) -> pa.Table:
    """Call a kernel with the arguments of its function, that is its `locals()`.

    Raises
    ------
    SparkGapError
        Whatever is wrong with the arguments, the rows or the run.
    """
    start, spec = time.monotonic(), specs.load(kernel)
    options = {p.name: p.check(given[p.name]) for p in COMMON if p.name in _OPTIONS}
    values = {p.name: _value(p, given[p.name]) for p in spec.parameters}
    timeout_s = options["timeout_s"]
    deadline = None if timeout_s is None else start + timeout_s
    tables: dict[str, Any] = {}
    for i in spec.tables:
        if given.get(i.name) is not None:
            tables[i.name] = rows.columns(rows.table(i.name, given[i.name]), spec, i.name, values)
    rows.one_kind(tables, spec, values)
    n_ranks = options["ranks"] or 1
    _check_rows(spec, tables, n_ranks)
    threads = options["threads"] or job.default_threads(n_ranks)
    place = home()
    inputs: dict[str, segments.Segments | None] = {i.name: None for i in spec.inputs}
    folders: list[Path] = []
    try:
        for name, table in tables.items():
            inputs[name] = _segments(place, name, given[name], table, folders)
        ready = time.monotonic()
        outcome = job.run(
            place, kernel, inputs, values, n_ranks=n_ranks, threads=threads, deadline=deadline, timeout_s=timeout_s
        )
    finally:
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)
    _remember(kernel, start, ready, inputs, outcome, n_ranks, threads)
    return outcome.rows


def _value(p: specs.Parameter, given: Any) -> Any:
    """The value that job.json has: the default where nothing is given."""
    checked = p.check(given)
    return p.default if checked is None else checked


def _segments(place: Home, name: str, given: Any, table: pa.Table, folders: list[Path]) -> segments.Segments:
    """The file that was given, where ranks can map it, else a copy in the home."""
    if isinstance(given, (str, os.PathLike)) and (found := segments.in_place(Path(given), table)) is not None:
        return found
    folder = place.path / "segments" / f"{name}_{place.number()}"
    folders.append(folder)
    return segments.written(table, folder)


def _check_rows(spec: specs.Spec, tables: Mapping[str, pa.Table], n_ranks: int) -> None:
    if not spec.tables:
        return
    main = spec.tables[0].name
    if main not in tables:
        raise ArgumentError.of(main, "rows", "None", f"Give {main}.")
    count = tables[main].num_rows
    if count == 0 and len(tables) == 1:
        raise DataError.of(main, "at least one row", "none", f"Do pass a table that has rows as {main}.")
    if n_ranks > max(1, count):
        raise ArgumentError.of("ranks", f"at most {count}, the rows of {main}", str(n_ranks), "Choose fewer ranks.")


def _remember(
    kernel: str,
    start: float,
    ready: float,
    inputs: Mapping[str, segments.Segments | None],
    outcome: job.Outcome,
    n_ranks: int,
    threads: int,
) -> None:
    first, present = outcome.reports[0], [given for given in inputs.values() if given is not None]
    remember(
        Call(
            kernel=kernel,
            engine="native",
            table="",
            rows_in=present[0].rows if present else 0,
            rows_out=outcome.rows.num_rows,
            iterations=first.get("iterations", 0),
            converged=first.get("converged"),
            residual=first.get("residual"),
            ranks=n_ranks,
            threads=threads,
            total_s=time.monotonic() - start,
            bytes_copied=sum(given.copied for given in present),
            peak_rss_bytes=sum(report["peak_rss_bytes"] for report in outcome.reports),
            phases={"export_s": ready - start, **outcome.phases},
            memory_bytes=outcome.memory_bytes,
            memory_from="host",
            figures=first.get("figures", {}),
        )
    )
