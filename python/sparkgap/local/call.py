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
from ..kernel_call import OF_THE_BUILD, refuse_beside_a_graph
from . import job, rows, segments
from .graph_files import GraphFiles
from .home import home

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
    outcome, output = run_kernel(kernel, given)
    shutil.rmtree(output, ignore_errors=True)  # what is mapped stays until the last table of it goes
    return outcome.rows


def run_kernel(kernel: str, given: Mapping[str, Any]) -> tuple[job.Outcome, Path]:
    """The same, with all that the ranks said, and the folder that they wrote, which stays."""
    start, spec = time.monotonic(), specs.load(kernel)
    options = {p.name: p.check(given[p.name]) for p in COMMON if p.name in _OPTIONS}
    values = {p.name: _value(p, given[p.name]) for p in spec.parameters}
    timeout_s = options["timeout_s"]
    deadline = None if timeout_s is None else start + timeout_s
    n_ranks = options["ranks"] or 1
    threads = options["threads"] or job.default_threads(n_ranks)
    place, folders = home(), []
    inputs: dict[str, job.Input | None] = {i.name: None for i in spec.inputs}
    output = place.path / "segments" / f"{kernel}_{place.number()}"
    try:
        if isinstance(given.get("edges"), GraphFiles):
            inputs["graph"] = _graph(given, values)
        else:
            tables = _tables(spec, given, values)
            _check_rows(spec, tables, n_ranks)
            for name, table in tables.items():
                folders.append(place.path / "segments" / f"{name}_{place.number()}")
                inputs[name] = _segments(given[name], table, folders[-1])
        ready = time.monotonic()
        outcome = job.run(
            place,
            kernel,
            inputs,
            values,
            output,
            n_ranks=n_ranks,
            threads=threads,
            deadline=deadline,
            timeout_s=timeout_s,
        )
    except BaseException:
        shutil.rmtree(output, ignore_errors=True)
        raise
    finally:
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)
    _remember(kernel, start, ready, inputs, outcome, n_ranks, threads)
    return outcome, output


def _graph(given: Mapping[str, Any], values: dict[str, Any]) -> GraphFiles:
    """The stored graph of a call, beside which only values that mean "not given" make sense."""
    graph: GraphFiles = given["edges"]
    refuse_beside_a_graph({name: given[name] for name in OF_THE_BUILD})
    if values["directed"]:
        values["directed"] = graph.directed
    elif graph.directed:
        do = "Leave directed out, or build it with directed=False."
        raise ArgumentError.of("directed", "what the graph was built with, True", "False", do)
    if values.get("weight") not in (None, graph.weight):
        built = "a graph that was built with weights" if graph.weight is None else f"{graph.weight!r}, as it was built"
        found = "one without" if graph.weight is None else repr(values["weight"])
        raise ArgumentError.of("weight", built, found, "Build it with that column as weight, or leave weight out.")
    graph.check()
    return graph


def _tables(spec: specs.Spec, given: Mapping[str, Any], values: dict[str, Any]) -> dict[str, pa.Table]:
    tables = {
        i.name: rows.columns(rows.table(i.name, given[i.name]), spec, i.name, values)
        for i in spec.tables
        if given.get(i.name) is not None
    }
    rows.one_kind(tables, spec, values)
    return tables


def _value(p: specs.Parameter, given: Any) -> Any:
    """The value that job.json has: the default where nothing is given."""
    checked = p.check(given)
    return p.default if checked is None else checked


def _segments(given: Any, table: pa.Table, folder: Path) -> segments.Segments:
    """The file that was given, where ranks can map it, else a copy in that folder."""
    found = segments.in_place(Path(given), table) if isinstance(given, (str, os.PathLike)) else None
    return found or segments.written(table, folder)


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
    inputs: Mapping[str, job.Input | None],
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
