# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`sparkgap run` on this host without Spark: files are read by Arrow, and the ranks map what is read."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from ..call import phase_order
from ..files import outputs
from ..files.formats import kind_of
from ..local.call import run_kernel
from .run_request import Outcome, Request
from .spark import status
from .text_files import check_types

if TYPE_CHECKING:
    import pyarrow as pa


def run(request: Request, *, top: bool, console: IO[str]) -> Outcome:
    """Read, call, save.

    Parameters
    ----------
    request : Request
    top : bool
        Also give the rows that people see.
    console : text stream
        The stream for people; the status line goes there if it is a terminal.

    Raises
    ------
    SparkGapError
        As for the kernel's function, and for files that cannot be read or written.
    """
    request.check()
    start = time.monotonic()
    with status(console, f"reading {', '.join(map(str, request.files.values()))}" if request.files else "starting"):
        given = {name: _rows(request, name) for name in request.files}
        frames = {name: rows.column_names for name, rows in given.items() if not isinstance(rows, Path)}
        check_types(request.how, frames, request.files)
    read_s = time.monotonic() - start
    values = {p.name: request.values.get(p.name) for p in request.spec.parameters}
    tables = {i.name: given.get(i.name) for i in request.spec.tables}
    options = {name: getattr(request, name) for name in ("ranks", "threads", "timeout_s")}
    done = run_kernel(request.spec.name, {**values, **tables, **options}, store=request.store)
    shutil.rmtree(done.folder, ignore_errors=True)  # its rows are mapped
    end = time.monotonic()
    if request.out is not None:
        with status(console, f"saving {request.out}"):
            outputs.save_table(done.rows, request.out, overwrite=request.overwrite)
    saved = time.monotonic()
    phases = {**done.call.phases, "read_s": read_s, "readback_s": saved - end}
    done.call.phases = dict(sorted(phases.items(), key=lambda p: phase_order(p[0])))
    done.call.total_s = saved - start
    rows = _top(done.rows, request) if top else []
    return Outcome(done.call, 0.0, rows, done.rows.column_names)


def _rows(request: Request, name: str) -> Any:
    """An input: the path of what ranks may map, else its rows."""
    from ..files.tables import read_table

    path, values = request.files[name], dict(request.values)
    assert isinstance(path, Path)  # Request.check has refused URLs
    if kind_of(path) == "arrow":
        return path
    names, needed = request.spec.columns_of(name, values), request.spec.needed_of(name, values)
    return read_table(path, names, what=name, needed=needed, how=request.how)


def _top(rows: pa.Table, request: Request) -> list[tuple[Any, ...]]:
    """The first rows in the order that is asked for, ties by the first column."""
    import pyarrow.compute as pc

    by, first = request.shown.by(request.spec), request.spec.output[0][0]
    count = min(request.shown.rows, rows.num_rows)
    if by is not None and count:
        keys = [(by, "ascending" if request.shown.lowest else "descending")]
        keys += [(first, "ascending")] if first != by else []
        rows = rows.take(pc.select_k_unstable(rows, count, sort_keys=keys))
    return [tuple(row.values()) for row in rows.slice(0, count).to_pylist()]
