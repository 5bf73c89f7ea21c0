# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`sparkgap mpirun`: files in, any program, files out."""

from __future__ import annotations

import contextlib
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Annotated, Any

import typer
from rich.console import Console

from .. import call_table, mpi
from ..errors import ArgumentError, LaunchError
from ..files.text_options import DELIMITER, HEADER, TYPES_OF_COLUMNS, TextOptions
from ..session import running, session
from .spark import command_settings, interrupt_plainly, parse_conf, spark_output_aside, status
from .text_files import check_files, check_types

FORMATS = (
    "arrow",
    "csv",
    "csv+header",
    "tsv",
    "tsv+header",
    "text",
    "text+header",
    "raw",
    "raw+rows",
    "npy",
    "npy+columns",
    "mtx",
    "mtx+zero",
)


@dataclass(frozen=True)
class Binding:
    """What `name=WHAT[:format]` says."""

    name: str
    what: str
    format: str | None

    @staticmethod
    def parse(option: str, text: str) -> Binding:
        """A binding of a command line. A format is what stands behind the last colon and is one; a schema may hold
        colons.

        Raises
        ------
        ArgumentError
            There is no `=`.

        Examples
        --------
        >>> Binding.parse("--output", "s=i bigint, s double:csv")
        Binding(name='s', what='i bigint, s double', format='csv')
        >>> Binding.parse("--output", "s=t struct<a:int>").format is None
        True
        """
        name, separator, what = text.partition("=")
        if not separator or not name.strip() or not what.strip():
            raise ArgumentError.of(
                option, "NAME=WHAT[:FORMAT]", repr(text), f"Give for example {option} points=points.parquet:csv."
            )
        before, _, last = what.rpartition(":")
        if before and last.strip() in FORMATS:
            return Binding(name.strip(), before.strip(), last.strip())
        return Binding(name.strip(), what.strip(), None)


def mpirun(
    program: Annotated[
        str, typer.Argument(metavar="PROGRAM", help="A path, a name in PATH, or a Python script (.py).")
    ],
    args: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="ARGS", help="{inputs.NAME}, {outputs.NAME}, {rank}, {ranks}, {threads}, {job} are filled in."
        ),
    ] = None,
    ranks: Annotated[
        int | None, typer.Option("-n", "--ranks", metavar="N", min=1, help="Processes; default 1.")
    ] = None,
    threads: Annotated[
        int | None, typer.Option("--threads", metavar="T", min=1, help="Threads of each; default cores / ranks.")
    ] = None,
    timeout: Annotated[
        float | None, typer.Option("--timeout", metavar="S", help="Seconds until all is killed; default 3600.")
    ] = None,
    input_: Annotated[
        list[str] | None,
        typer.Option(
            "--input", metavar="NAME=FILE[:FORMAT]", help="A file as for sparkgap run, and how the program gets it."
        ),
    ] = None,
    header: Annotated[bool | None, typer.Option("--header/--no-header", help=HEADER, show_default=False)] = None,
    delimiter: Annotated[str | None, typer.Option("--delimiter", metavar="CHAR", help=DELIMITER)] = None,
    types: Annotated[list[str] | None, typer.Option("--types", metavar="COLUMN=TYPE", help=TYPES_OF_COLUMNS)] = None,
    output: Annotated[
        list[str] | None,
        typer.Option(
            "--output",
            metavar="NAME=SCHEMA[:FORMAT]",
            help="Columns that the program writes, as 'i bigint, s double', and how.",
        ),
    ] = None,
    file: Annotated[
        list[str] | None,
        typer.Option(
            "--file",
            metavar="NAME=FILE",
            help="What output NAME is called in the program's working folder, where it takes no path.",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Each output goes to DIR/NAME.parquet.")
    ] = None,
    logs: Annotated[
        Path | None, typer.Option("--logs", metavar="DIR", help="What each rank prints goes to DIR/rank-R.log.")
    ] = None,
    env: Annotated[
        list[str] | None, typer.Option("--env", metavar="K=V", help="A variable of the program's environment.")
    ] = None,
    master: Annotated[
        str | None,
        typer.Option(
            "--master", metavar="URL", help="Spark's master, where ranks may run on other hosts; default this host."
        ),
    ] = None,
    store: Annotated[Path | None, typer.Option("--store", metavar="DIR", help="Store directory.")] = None,
    conf: Annotated[
        list[str] | None, typer.Option("--conf", metavar="K=V", help="A setting of Spark; repeatable.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace what is in DIR.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout, nothing else.")] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show Spark's messages and the traceback of an error.")
    ] = False,
) -> None:
    """Run any program, with MPI or without, on files as tables. Options go before PROGRAM."""
    bound_in = [Binding.parse("--input", text) for text in input_ or []]
    bound_out = [Binding.parse("--output", text) for text in output or []]
    files = {b.name: Path(b.what) for b in bound_in}
    places = _places(bound_out, out, overwrite=overwrite)
    how = TextOptions.of(header, delimiter, types or [])
    check_files(files.values(), how)
    if logs is not None:
        logs.mkdir(parents=True, exist_ok=True)
    request = {
        "program": program,
        "args": list(args or []),
        "outputs": {b.name: b.what for b in bound_out},
        "ranks": ranks,
        "threads": threads,
        "timeout": timeout,
        "formats": {b.name: b.format for b in (*bound_in, *bound_out) if b.format},
        "files": _pairs("--file", file or [], "factors=mode1.mat"),
        "env": _pairs("--env", env or []),
        "logs": logs,
    }
    settings = command_settings(store, parse_conf(conf or []), local=master is None)
    if debug:
        _report(_run(request, files, how, places, master, settings, sys.stderr), places, as_json=as_json)
        return
    with spark_output_aside() as (console, log):
        try:
            _report(_run(request, files, how, places, master, settings, console), places, as_json=as_json)
        except LaunchError as e:
            if str(e).startswith("spark: expected Spark to start"):
                console.write(log.read_text(encoding="utf-8", errors="replace"))
            raise


def _places(bound: Sequence[Binding], out: Path | None, *, overwrite: bool) -> dict[str, Path]:
    """Where each output goes, checked before anything is spent."""
    if bound and out is None:
        raise ArgumentError.of("--out", "a folder for the outputs", "nothing", "Add --out DIR.")
    if out is None:
        return {}
    out.mkdir(parents=True, exist_ok=True)
    from ..files import destinations

    places = {b.name: out / f"{b.name}.parquet" for b in bound}
    for path in places.values():
        destinations.check(path, overwrite=overwrite)
    return places


def _pairs(option: str, texts: Sequence[str], example: str = "OMP_SCHEDULE=static") -> dict[str, str]:
    for text in texts:
        if not text.partition("=")[0].strip() or "=" not in text:
            raise ArgumentError.of(option, "NAME=VALUE", repr(text), f"Give for example {option} {example}.")
    return {key.strip(): value for key, _, value in (text.partition("=") for text in texts)}


def _run(
    request: dict[str, Any],
    files: dict[str, Path],
    how: TextOptions,
    places: dict[str, Path],
    master: str | None,
    settings: dict[str, str],
    console: IO[str],
) -> tuple[mpi.Result, float]:
    from ..files import inputs, outputs

    found = running()
    started = time.monotonic()
    ranks, threads = request["ranks"] or 1, request["threads"]
    with status(console, "starting Spark"):
        spark = session(
            master or (f"local[{ranks * threads}]" if threads else "local[*]"),
            app_name="sparkgap mpirun",
            conf=settings,
        )
    startup_s = time.monotonic() - started
    try:
        if found is None:
            interrupt_plainly()
        start = time.monotonic()
        frames = {name: inputs.read(spark, path, [], what=name, how=how) for name, path in files.items()}
        check_types(how, {name: frame.columns for name, frame in frames.items()}, files)
        done = mpi.run(inputs=frames, spark=spark, **request)
        end = time.monotonic()
        for name, path in places.items():
            with status(console, f"saving {path}"):
                outputs.save(done[name], path, overwrite=True)
        done.sparkgap.phases["readback_s"] = time.monotonic() - end
        done.sparkgap.total_s = time.monotonic() - start
        return done, startup_s
    finally:
        if found is None:
            with contextlib.suppress(Exception):
                spark.stop()


def _report(outcome: tuple[mpi.Result, float], places: dict[str, Path], *, as_json: bool) -> None:
    done, startup_s = outcome
    if as_json:
        said = {
            **asdict(done.sparkgap),
            "startup_s": startup_s,
            "outputs": {n: str(p) for n, p in places.items()},
            "printed": done.printed,
            "logs": done.logs,
        }
        print(json.dumps(said), flush=True)
        return
    if done.printed:
        print(done.printed, flush=True)
    Console(stderr=True).print(call_table.phase_table(done.sparkgap))
    for name, path in places.items():
        print(f"{name}: {path}")
