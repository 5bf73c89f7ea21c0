# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Any program on DataFrames: `sparkgap.mpi.run`. docs/mpi-programs.md tells what a program may be and how it gets its
data.

>>> pairs = spark.createDataFrame([(3, "c"), (1, "a"), (2, "b")], "n bigint, word string")
>>> sorted_ = run("sort", ["-n", "{inputs.pairs}", "-o", "{outputs.sorted}"], inputs={"pairs": pairs},
...               outputs={"sorted": "n bigint, word string"}, formats={"pairs": "csv", "sorted": "csv"})
>>> sorted_.outputs["sorted"].first().word
'a'
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .call import Call, frame, new_word, phase_order, remember, result_table, run_sql, view
from .door import require_plugin
from .errors import ArgumentError, spark_errors
from .progress import Progress, newest_job
from .session import active
from .user_program import Result, checked_names, command, folder, named, seconds, words

__all__ = ["Result", "run"]

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType


@spark_errors()
def run(
    program: str | Path | Sequence[str],
    args: Sequence[Any] = (),
    inputs: Mapping[str, DataFrame | str] | None = None,
    outputs: Mapping[str, str | StructType] | None = None,
    *,
    ranks: int | None = None,
    threads: int | None = None,
    timeout: float | None = None,
    formats: Mapping[str, str] | None = None,
    files: Mapping[str, str | Path] | None = None,
    env: Mapping[str, Any] | None = None,
    result: str | None = None,
    logs: str | Path | None = None,
    progress: bool | None = None,
    spark: SparkSession | None = None,
) -> Result:
    """Run a program, as one process or as MPI ranks, on tables, and take what it writes as tables.

    Parameters
    ----------
    program : str, Path or list of str
        A path, the same on every host, or a name that is in the driver's PATH; a Python script (`.py`), which this
        Python runs under mpi4py; or a command as a list, whose first word is the program.
    args : sequence
        Further arguments, as str. In these and in the list, `{inputs.NAME}`, `{outputs.NAME}`, `{rank}`, `{ranks}`,
        `{threads}` and `{job}` (the job's folder) stand for what the call knows. No shell sees them.
    inputs : mapping of str to DataFrame or str
        Tables by name, or names of tables and views. Rows keep the DataFrame's order.
    outputs : mapping of str to str or StructType
        The columns of each table that the program writes, as DDL (`"i bigint, s double"`) or as a schema.
    ranks : int, optional
        Processes; several are started by mpiexec. By default as `spark.sparkgap.launch.ranks`; on several hosts one for
        each that holds rows of `arrow` inputs.
    threads : int, optional
        `OMP_NUM_THREADS` of each rank; by default Spark's cores / ranks.
    timeout : float, optional
        Seconds until every process of the job is killed; by default as `spark.sparkgap.launch.timeout`.
    formats : mapping of str to str, optional
        By name of input or output: `csv`, `csv+header`, `tsv`, `tsv+header`, `text`, `text+header` (words between
        blanks), `raw`, `raw+rows`, `npy`, `npy+columns`, `mtx`, `mtx+zero` or `arrow`, which is what programs get that
        read `job.json` (`sparkgap.program` does it in Python), and the default.
    files : mapping of str to str or Path, optional
        By name of output: the file, or folder of files, that the program leaves in its working folder, for one that
        takes no path: `{"factors": "mode1.mat"}`.
    env : mapping, optional
        Environment variables of the program, over what it gets of the driver's (or of the executors' on other hosts):
        no keys or tokens, whatever their names.
    result : str, optional
        The outputs become tables `<result>_<name>` of the store.
    logs : str or Path, optional
        A folder on the driver's host where the output of each rank is kept, as `rank-<r>.log`; of one on another host
        the last MiB.
    progress : bool, optional
        Show a bar on stderr; by default where stderr is a terminal.
    spark : SparkSession, optional
        The running session by default.

    Returns
    -------
    Result

    Raises
    ------
    ArgumentError
        No such program, one that may not run on this server, an unknown name or format, or a template that names an
        unknown part.
    DataError
        A value that a format has no place for; an output that is missing or not what its schema says, with file, line
        and column.
    ResourceError
        No room for inputs or outputs.
    LaunchError
        A rank ended otherwise than with 0, was killed, or the job did not end in time; with rank, host, signal and the
        last lines of its log.

    Notes
    -----
    Success: mpiexec and every rank end with 0. `arrow` inputs that lie in the store are not copied; other formats cost
    one copy into a file in memory (`bytes_copied` counts it).

    Examples
    --------
    >>> counted = run("wc", ["-l", "{inputs.t}"], inputs={"t": spark.range(5)}, formats={"t": "csv"})
    >>> counted.printed.split()[0]
    '5'
    """
    inputs, outputs, formats, files = (
        named(w, m) for w, m in (("inputs", inputs), ("outputs", outputs), ("formats", formats), ("files", files))
    )
    # The active session is the thread's own in classic Spark; a DataFrame knows its session in every thread.
    spark = require_plugin(
        spark or next((t.sparkSession for t in inputs.values() if hasattr(t, "sparkSession")), None) or active()
    )
    checked_names(inputs, outputs, formats, files)
    begin, name = command(program)
    word = new_word()
    given: dict[str, Any] = {
        "program": begin[0],
        "args": [*begin[1:], *words(args)],
        "name": name,
        "input_formats": {n: f for n, f in formats.items() if n in inputs},
        "outputs": {n: _ddl(n, schema) for n, schema in outputs.items()},
        "output_formats": {n: f for n, f in formats.items() if n in outputs},
        "output_files": {n: str(f) for n, f in files.items()},
        "env": {k: str(v) for k, v in named("env", env).items()},
        "ranks": ranks,
        "threads": threads,
        "timeout_s": seconds(timeout),
        "result": _result(result, word),
        "logs": folder(logs),
    }
    with contextlib.ExitStack() as views:
        given["inputs"] = {
            n: t if isinstance(t, str) else views.enter_context(view(spark, frame(f"inputs.{n}", t)))
            for n, t in inputs.items()
        }
        passed = {n: v for n, v in given.items() if v not in (None, [], {})}
        query = f"CALL sparkgap.mpi.run({', '.join(f'{n} => :{n}' for n in passed)})"
        with Progress(name, newest_job(spark, name), shown=progress):
            row = run_sql(spark, query, passed)[0].asDict(recursive=True)
    call = _call(row)
    remember(call)
    frames = {n: result_table(spark, row["tables"][n], word if result else None) for n in outputs}
    for table in frames.values():
        table.sparkgap = call
    return Result(frames, call, row["printed"], row["logs"])


def _result(name: Any, word: str) -> str | None:
    if name is not None and not isinstance(name, str):
        raise ArgumentError.of(
            "result", "a name for the result tables", repr(name), "Give a string, or leave result out."
        )
    return f"{name}#{word}" if name else None


def _ddl(name: str, schema: Any) -> str:
    if isinstance(schema, str):
        return schema
    fields = getattr(schema, "fields", None)
    if fields is None:
        raise ArgumentError.of(
            f"outputs.{name}", "DDL such as 'i bigint, s double', or a StructType", repr(schema), "Give one of these."
        )
    quoted = ("`" + f.name.replace("`", "``") + "`" for f in fields)
    return ", ".join(
        f"{q} {f.dataType.simpleString()}{'' if f.nullable else ' NOT NULL'}"
        for q, f in zip(quoted, fields, strict=True)
    )


def _call(row: Mapping[str, Any]) -> Call:
    phases = dict(sorted(((k, float(v)) for k, v in row["phases"].items()), key=lambda kv: phase_order(kv[0])))
    return Call(
        kernel=row["program"],
        engine="native",
        table=", ".join(row["tables"].values()),
        rows_in=row["rows_in"],
        rows_out=row["rows_out"],
        iterations=0,
        converged=None,
        residual=None,
        ranks=row["ranks"],
        threads=row["threads"],
        total_s=row["total_s"],
        bytes_copied=row["bytes_copied"],
        peak_rss_bytes=row["peak_rss_bytes"],
        phases=phases,
        rank_cpus=row["rank_cpus"],
    )
