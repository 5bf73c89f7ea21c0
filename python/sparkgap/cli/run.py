# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`sparkgap run`: a verb for every kernel, made from its Spec."""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from .. import call_table
from .. import spec as specs
from ..errors import ArgumentError, LaunchError
from ..files.text_options import DELIMITER, HEADER, NAMES, TYPES_OF_COLUMNS, TextOptions
from . import run_request as runs
from . import standard_input
from .options import flag, shown
from .spark import parse_conf, spark_output_aside


def make_app(words: Sequence[str] = (), **settings: Any) -> typer.Typer:
    """The verbs below `run`, one for each kernel that is installed now; where `words` begin with one, that one."""
    app = typer.Typer(**settings)
    app.callback(help="Run a kernel on a file.")(lambda: None)
    kernels = specs.names()
    for spec in map(specs.load, [words[0]] if words and words[0] in kernels else kernels):
        if not spec.makes_graph:  # it would end with the command
            app.command(spec.name, help=spec.summary)(run_command(spec))
    return app


def run_command(spec: specs.Spec) -> Callable[..., None]:
    """The verb of a kernel: its options are the inputs and parameters of its Spec, then those that all kernels
    share.
    """
    main = spec.tables[:1]
    options: list[inspect.Parameter] = []

    def option(name: str, flag: str, annotation: Any, default: Any, **settings: Any) -> None:
        annotated = Annotated[annotation, typer.Option(flag, show_default=False, **settings)]
        options.append(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotated))

    if main:
        annotated = Annotated[
            str, typer.Argument(metavar="INPUT", help=f"{main[0].doc} {NAMES[0].upper()}{NAMES[1:]}.")
        ]
        options.append(inspect.Parameter("input_file", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=annotated))
    what = "one .parquet, .csv, .tsv or .arrow, or - for stdout (CSV; -.arrow: Arrow's stream)"
    if spec.family in runs.MODELS:
        what = f"A folder for the model, which {runs.MODELS[spec.family]} can load, through Spark; or its rows: {what}."
    else:
        what = f"Result: {what}, or a folder of Parquet (no suffix, or / at the end). Needed unless rows are shown."
    option("out", "--out", str, None, metavar="PATH", help=what)
    for p in spec.parameters:
        default = "; required" if p.required else "" if p.default is None else f"; default {shown(p.default)}"
        option(
            p.name,
            flag(p.name),
            str,
            ... if p.required else None,
            metavar=p.kind.upper(),
            help=f"{p.doc.rstrip('.')} ({p.expected}{default}).",
        )
    for i in spec.tables[1:]:
        option(i.name, flag(i.name), str, None, metavar="PATH", help=f"{i.doc} A file like INPUT.")
    if main:
        option("header", "--header/--no-header", bool, None, help=HEADER)
        option("delimiter", "--delimiter", str, None, metavar="CHAR", help=DELIMITER)
        option("types", "--types", list[str], [], metavar="COLUMN=TYPE", help=TYPES_OF_COLUMNS)
    option("sort", "--sort", str, None, metavar="COLUMN", help="Show the highest values first; -COLUMN: the lowest.")
    option("top", "--top", int, None, metavar="N", help=f"Rows to show; default {runs.TOP}.")
    option("spark", "--spark", bool, False, help="Go through Spark, which starts for it.")
    option("master", "--master", str, None, metavar="URL", help="Spark's master, and through Spark.")
    option(
        "engine",
        "--engine",
        str,
        None,
        metavar="native|spark",
        help="Native ranks, or Spark's own library, through Spark; default native.",
    )
    option("ranks", "--ranks", str, None, metavar="N", help="MPI ranks; default 1.")
    option("threads", "--threads", str, None, metavar="N", help="Threads of each rank; default cores / ranks.")
    option("timeout_s", "--timeout", str, None, metavar="S", help="Deadline of the call in seconds; default 3600.")
    option("store", "--store", Path, None, metavar="DIR", help="Store directory; default /dev/shm/sparkgap-<uid>.")
    option("conf", "--conf", list[str], [], metavar="K=V", help="A setting of Spark, and through Spark; repeatable.")
    option("overwrite", "--overwrite", bool, False, help="Replace PATH if it exists.")
    option("as_json", "--json", bool, False, help="One JSON object on stdout, nothing else.")
    option("debug", "--debug", bool, False, help="Show Spark's messages and the traceback of an error.")

    def command(**given: Any) -> None:
        _run(spec, given)

    command.__doc__ = spec.summary
    command.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
    command.__annotations__ = {o.name: o.annotation for o in options}
    return command


def _run(spec: specs.Spec, given: dict[str, Any]) -> None:
    values = runs.parse(spec, {p.name: given[p.name] for p in spec.parameters})
    common = runs.parse(spec, {name: given[name] for name in ("engine", "ranks", "threads", "timeout_s")})
    files = {i.name: given["input_file"] if n == 0 else given[i.name] for n, i in enumerate(spec.tables)}
    shown = runs.Shown.of(given["sort"], given["top"], spec)
    if given["out"] is None and given["sort"] is None and given["top"] is None:
        do = "Add it, or --top to see rows."
        raise ArgumentError.of("--out", "a place for the result", "none", do)
    named = {name: path for name, path in files.items() if path is not None}
    request = runs.Request(
        spec,
        named,
        values,
        given["out"],
        store=given["store"],
        conf=parse_conf(given["conf"]),
        overwrite=given["overwrite"],
        how=TextOptions.of(given.get("header"), given.get("delimiter"), given.get("types") or []),
        master=given["master"],
        spark=given["spark"],
        shown=shown,
        **common,
    )
    request.check_places()  # before stdin is read, which may take long
    with contextlib.ExitStack() as until_the_end:
        request = dataclasses.replace(request, files=standard_input.as_files(named, until_the_end))
        _run_request(request, as_json=given["as_json"], debug=given["debug"])


def _run_request(request: runs.Request, *, as_json: bool, debug: bool) -> None:
    top = not as_json and request.shown.rows > 0 and not request.to_stdout
    if as_json and request.to_stdout:
        do = "Leave out one of them."
        raise ArgumentError.of("--json", "a file as --out, for stdout has the object", str(request.out), do)
    if not request.through_spark:
        from .run_here import run

        _report(run(request, top=top, console=sys.stderr), request, as_json=as_json)
        return
    from .run_spark import run

    if debug:
        _report(run(request, top=top, console=sys.stderr), request, as_json=as_json)
        return
    with spark_output_aside() as (console, log):
        try:
            _report(run(request, top=top, console=console), request, as_json=as_json)
        except LaunchError as e:
            if str(e).startswith("spark: expected Spark to start"):
                console.write(log.read_text(encoding="utf-8", errors="replace"))
            raise


def _report(outcome: runs.Outcome, request: runs.Request, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(outcome.as_json(request.out)), flush=True)
        return
    from rich.console import Console

    Console(stderr=True).print(outcome.call.as_table())
    if request.model and not request.asks_for_spark:
        print("through Spark, which saves models; a file as --out takes the rows without it", file=sys.stderr)
    if not outcome.top:
        return
    title = f"top {len(outcome.top)} of {outcome.call.rows_out:,}" + (f" in {request.out}" if request.out else "")
    Console(file=sys.stdout).print(call_table.row_table(outcome.columns, outcome.top, title=title))
