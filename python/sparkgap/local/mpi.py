# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Any program on rows of this host, without Spark: `sparkgap.local.mpi.run`. docs/mpi-programs.md tells what a program
may be and how it gets its data; it is the same with Spark and without.

>>> done = run("sort", ["-n", "{inputs.n}", "-o", "{outputs.n_sorted}"], inputs={"n": {"n": [3, 1, 2]}},
...            outputs={"n_sorted": "n bigint"}, formats={"n": "csv", "n_sorted": "csv"})
>>> done.n_sorted["n"].to_pylist()
[1, 2, 3]
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..call import Call, remember
from ..user_program import Result, seconds
from . import job
from .home import home
from .programs.request import Request, checked
from .programs.run import Outcome, ProgramRun

if TYPE_CHECKING:
    import pyarrow as pa


def run(
    program: str | Path | Sequence[str],
    args: Sequence[Any] = (),
    inputs: Mapping[str, Any] | None = None,
    outputs: Mapping[str, str | pa.Schema] | None = None,
    *,
    ranks: int | None = None,
    threads: int | None = None,
    timeout: float | None = None,
    formats: Mapping[str, str] | None = None,
    files: Mapping[str, str | Path] | None = None,
    env: Mapping[str, Any] | None = None,
    logs: str | Path | None = None,
    progress: bool | None = None,
) -> Result:
    """Run a program, as one process or as MPI ranks on this host, on rows, and take what it writes as tables.

    Parameters
    ----------
    program : str, Path or list of str
        A path, or a name in PATH; a Python script (`.py`), which this Python runs under mpi4py; or a command as a list,
        whose first word is the program.
    args : sequence
        Further arguments, as str. In these and in the list, `{inputs.NAME}`, `{outputs.NAME}`, `{rank}`, `{ranks}`,
        `{threads}` and `{job}` (the job's folder) stand for what the call knows. No shell sees them.
    inputs : mapping of str to rows
        Rows by name: pyarrow, pandas, polars, anything with `__arrow_c_stream__`, a dict of columns, or a path.
    outputs : mapping of str to str or pyarrow.Schema
        The columns of each table that the program writes, as DDL (`"i bigint, s double"`) or as a schema.
    ranks : int, optional
        Processes; several are started by mpiexec. 1 by default.
    threads : int, optional
        `OMP_NUM_THREADS` of each rank; by default this process's processors / ranks.
    timeout : float, optional
        Seconds until every process of the job is killed; an hour by default.
    formats, files, env, logs, progress
        As in `sparkgap.mpi.run`.

    Returns
    -------
    Result
        Its tables are tables of pyarrow.

    Raises
    ------
    SparkGapError
        As `sparkgap.mpi.run`.

    Notes
    -----
    Success: mpiexec and every rank end with 0. Uncompressed Arrow files as `arrow` inputs, and outputs in `arrow`,
    `raw` and `npy` by columns, are mapped and not copied; rows in other formats cost one copy (`bytes_copied` counts
    it).

    Examples
    --------
    >>> run("wc", ["-l", "{inputs.t}"], inputs={"t": {"n": [5, 6]}}, formats={"t": "csv"}).printed.split()[0]
    '2'
    """
    start = time.monotonic()
    request = checked(program, args, inputs, outputs, formats, files, env, logs)
    given = {"ranks": ranks, "threads": threads, "timeout_s": seconds(timeout), "progress": progress}
    options = job.options(given, start)
    with ProgramRun(home(), request, options) as made:
        outcome = made.run()
    call = _call(request, outcome, options, time.monotonic() - start)
    remember(call)
    return Result(outcome.tables, call, outcome.printed, outcome.logs)


def _call(request: Request, outcome: Outcome, options: job.Options, total_s: float) -> Call:
    return Call(
        kernel=request.name,
        engine="native",
        table="",
        rows_in=sum(table.num_rows for table, _ in request.inputs.values()),
        rows_out=sum(table.num_rows for table in outcome.tables.values()),
        iterations=0,
        converged=None,
        residual=None,
        ranks=options.ranks,
        threads=options.threads,
        total_s=total_s,
        bytes_copied=outcome.copied,
        peak_rss_bytes=sum(report["peak_rss_bytes"] for report in outcome.reports),
        phases=outcome.phases,
    )
