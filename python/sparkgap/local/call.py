# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What the function of a kernel does with its arguments: the job that they mean, and its result with figures."""

from __future__ import annotations

import shutil
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import spec as specs
from ..call import Call, remember
from ..errors import ArgumentError, DataError
from ..kernel_call import OF_THE_BUILD, refuse_beside_a_graph
from . import job, rows, segments
from .graph_files import GraphFiles
from .home import home

if TYPE_CHECKING:
    import pyarrow as pa

# pyarrow, pandas, polars, anything with __arrow_c_stream__; a dict of columns; or a path.
Rows = Any


def call_kernel(kernel: str, given: Mapping[str, Any]) -> pa.Table:
    """Call a kernel with the arguments of its function, that is its `locals()`.

    Raises
    ------
    SparkGapError
        Whatever is wrong with the arguments, the rows or the run.
    """
    done = run_kernel(kernel, given)
    shutil.rmtree(done.folder, ignore_errors=True)  # what is mapped stays until the last table of it goes
    return done.rows


@dataclass(frozen=True)
class Done:
    """The rows of a call and its figures, what the ranks said, and the folder that they wrote, which stays."""

    rows: pa.Table
    call: Call
    reports: list[dict[str, Any]]
    folder: Path


def run_kernel(kernel: str, given: Mapping[str, Any], *, store: Path | None = None) -> Done:
    """The same in any store, with all that came of it."""
    start, spec = time.monotonic(), specs.load(kernel)
    options = job.options(given, start)
    values = {p.name: _value(p, given[p.name]) for p in spec.parameters}
    place, folders = home(store), []
    inputs: dict[str, job.Input | None] = {i.name: None for i in spec.inputs}
    output = place.path / "segments" / f"{kernel}_{place.number()}"
    try:
        if isinstance(given.get("edges"), GraphFiles):
            inputs["graph"] = _graph(given, values)
        else:
            tables = _tables(spec, given, values)
            _check_rows(spec, tables, options.ranks)
            for name, table in tables.items():
                folders.append(place.path / "segments" / f"{name}_{place.number()}")
                inputs[name] = segments.mappable(given[name], table, folders[-1])
        ready = time.monotonic()
        outcome = job.run(place, kernel, inputs, values, output, options)
    except BaseException:
        shutil.rmtree(output, ignore_errors=True)
        raise
    finally:
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)
    done = _remembered(kernel, start, ready, inputs, outcome, options)
    return Done(outcome.rows, done, outcome.reports, output)


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
    tables = {}
    for name in (i.name for i in spec.tables if given.get(i.name) is not None):
        whole = rows.table(name, given[name], spec.columns_of(name, values), spec.needed_of(name, values))
        tables[name] = rows.columns(whole, spec, name, values)
    rows.one_kind(tables, spec, values)
    return tables


def _value(p: specs.Parameter, given: Any) -> Any:
    """The value that job.json has: the default where nothing is given."""
    checked = p.check(given)
    return p.default if checked is None else checked


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


def _remembered(
    kernel: str,
    start: float,
    ready: float,
    inputs: Mapping[str, job.Input | None],
    outcome: job.Outcome,
    options: job.Options,
) -> Call:
    first, present = outcome.reports[0], [given for given in inputs.values() if given is not None]
    done = Call(
        kernel=kernel,
        engine="native",
        table="",
        rows_in=present[0].rows if present else 0,
        rows_out=outcome.rows.num_rows,
        iterations=first.get("iterations", 0),
        converged=first.get("converged"),
        residual=first.get("residual"),
        ranks=options.ranks,
        threads=options.threads,
        total_s=time.monotonic() - start,
        bytes_copied=sum(given.copied for given in present),
        peak_rss_bytes=sum(report["peak_rss_bytes"] for report in outcome.reports),
        phases={"export_s": ready - start, **outcome.phases},
        memory_bytes=outcome.memory_bytes,
        memory_from="host",
        figures=first.get("figures", {}),
    )
    remember(done)
    return done
