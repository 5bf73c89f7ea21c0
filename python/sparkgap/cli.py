# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The command `sparkgap`; the verbs below `run` are made from what the installed kernels declare."""

from __future__ import annotations

import inspect
import json
import os
import sys
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from . import __version__, report
from . import mpirun as mpirun_verb
from . import run as runs
from . import spec as specs
from .cxx import compile_program
from .doctor import doctor as look_at_all
from .errors import ArgumentError, LaunchError, ResourceError, SparkGapError, surface, translate
from .how import DELIMITER, HEADER, NAMES, TYPES_OF_COLUMNS, How
from .stores import verbs as store_verbs
from .topology.verb import topo

Json = Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")]
INTERRUPTED = 130


def _main(version: Annotated[bool, typer.Option("--version", help="Print the version and end.")] = False) -> None:
    if version:
        print(f"sparkgap {__version__}")
        raise typer.Exit


def describe(
    kernel: Annotated[str, typer.Argument(metavar="KERNEL", help="For example pagerank.")], as_json: Json = False
) -> None:
    """Say what a kernel takes and gives."""
    text = specs.describe(kernel)
    if as_json:
        print(json.dumps(json.loads(text)))
        return
    spec = specs.from_json(text)
    console = Console(width=None if sys.stdout.isatty() else 120)
    console.print(f"sparkgap.{spec.family}.{spec.name}: {spec.summary}", markup=False)
    inputs = [
        (i.name, "required" if i.required else "optional", ", ".join(f"{n}: {a}" for n, a in i.columns), i.doc)
        for i in spec.inputs
    ]
    console.print(report.row_table(("input", "", "columns", "what"), inputs, title="inputs"))
    parameters = [
        (
            p.name,
            p.expected(),
            "" if p.default is None else _shown(p.default),
            p.doc + (f" [{p.unit}]" if p.unit else ""),
        )
        for p in spec.parameters
    ]
    console.print(report.row_table(("parameter", "value", "default", "what"), parameters, title="parameters"))
    console.print(report.row_table(("column", "type"), spec.output, title="result"))
    console.print(f"match: {spec.match['rule']}   source: {spec.source}", markup=False)


def doctor(as_json: Json = False) -> None:
    """Look at everything that sparkgap stands on."""
    found = look_at_all()
    if as_json:
        print(json.dumps(found.as_json()))
    else:
        Console(width=None if sys.stdout.isatty() else 160).print(found.as_table())
    found.raise_if_missing()


def cxx(
    source: Annotated[Path, typer.Argument(metavar="FILE.cc", help="A vertex program; see docs/vertex-programs.md.")],
    out: Annotated[Path, typer.Option("-o", "--out", metavar="PROGRAM", help="Where the program goes.")],
    flag: Annotated[
        list[str] | None, typer.Option("--flag", help="One more flag for the compiler, as --flag=-g.")
    ] = None,
) -> None:
    """Compile a vertex program of your own."""
    print(compile_program(source, out, flag or []))


def make_app() -> typer.Typer:
    """The whole command line, with a verb below `run` for every kernel that is installed now."""
    plain: dict[str, Any] = {"no_args_is_help": True, "rich_markup_mode": None}
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, **plain)
    app.callback(invoke_without_command=True, help="Spark's heavy parts at the speed of the hardware.")(_main)
    app.command()(describe)
    app.command()(doctor)
    app.command()(topo)
    app.command()(cxx)
    # What stands behind PROGRAM is the program's, options too.
    app.command(context_settings={"allow_interspersed_args": False})(mpirun_verb.mpirun)
    runs_app = typer.Typer(**plain)
    runs_app.callback(help="Run a kernel on a file.")(lambda: None)
    for spec in map(specs.load, specs.names()):
        if spec.makes_graph:  # it would end with the command
            continue
        runs_app.command(spec.name, help=spec.summary)(run_command(spec))
    app.add_typer(runs_app, name="run")
    app.add_typer(store_verbs.make_app(**plain), name="store")
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
            Path, typer.Argument(metavar="INPUT", help=f"{main[0].doc} {NAMES[0].upper()}{NAMES[1:]}.")
        ]
        options.append(inspect.Parameter("input_file", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=annotated))
    what = (
        f"Folder of the model, which {runs.MODELS[spec.family]} can load."
        if spec.family in runs.MODELS
        else "Result: one .parquet, .csv, .tsv or .arrow, or a folder of Parquet (no suffix, or / at the end)."
    )
    option("out", "--out", str, ..., metavar="PATH", help=what)
    for p in spec.parameters:
        default = "; required" if p.required else "" if p.default is None else f"; default {_shown(p.default)}"
        option(
            p.name,
            _flag(p.name),
            str,
            ... if p.required else None,
            metavar=p.kind.upper(),
            help=f"{p.doc.rstrip('.')} ({p.expected()}{default}).",
        )
    for i in spec.tables[1:]:
        option(i.name, _flag(i.name), Path, None, metavar="PATH", help=f"{i.doc} A file like INPUT.")
    if main:
        option("header", "--header/--no-header", bool, None, help=HEADER)
        option("delimiter", "--delimiter", str, None, metavar="CHAR", help=DELIMITER)
        option("types", "--types", list[str], [], metavar="COLUMN=TYPE", help=TYPES_OF_COLUMNS)
    option(
        "engine",
        "--engine",
        str,
        None,
        metavar="native|spark",
        help="Native ranks, or Spark's own library; default native.",
    )
    option("ranks", "--ranks", str, None, metavar="N", help="MPI ranks; default 1.")
    option("threads", "--threads", str, None, metavar="N", help="Threads of each rank; default cores / ranks.")
    option("timeout_s", "--timeout", str, None, metavar="S", help="Deadline of the call in seconds; default 3600.")
    option("store", "--store", Path, None, metavar="DIR", help="Store directory; default /dev/shm/sparkgap-<uid>.")
    option("conf", "--conf", list[str], [], metavar="K=V", help="A setting of Spark; repeatable.")
    option("overwrite", "--overwrite", bool, False, help="Replace PATH if it exists.")
    option("as_json", "--json", bool, False, help="One JSON object on stdout, nothing else.")
    option("debug", "--debug", bool, False, help="Show Spark's messages and the traceback of an error.")

    def command(**given: Any) -> None:
        _run(spec, given)

    command.__doc__ = spec.summary
    command.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
    command.__annotations__ = {o.name: o.annotation for o in options}
    return command


def _shown(default: Any) -> str:
    return default if isinstance(default, str) else json.dumps(default)


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")


def _run(spec: specs.Spec, given: dict[str, Any]) -> None:
    values = runs.parse(spec, {p.name: given[p.name] for p in spec.parameters})
    common = runs.parse(spec, {name: given[name] for name in ("engine", "ranks", "threads", "timeout_s")})
    files = {i.name: given["input_file"] if n == 0 else given[i.name] for n, i in enumerate(spec.tables)}
    request = runs.Request(
        spec,
        {name: path for name, path in files.items() if path is not None},
        values,
        given["out"],
        store=given["store"],
        conf=runs.parse_conf(given["conf"]),
        overwrite=given["overwrite"],
        how=How.of(given.get("header"), given.get("delimiter"), given.get("types") or []),
        **common,
    )
    if given["debug"]:
        _report(runs.run(request, top=not given["as_json"], console=sys.stderr), request, as_json=given["as_json"])
        return
    with runs.spark_output_aside() as (console, log):
        try:
            _report(runs.run(request, top=not given["as_json"], console=console), request, as_json=given["as_json"])
        except LaunchError as e:
            if str(e).startswith("spark: expected Spark to start"):
                console.write(log.read_text(encoding="utf-8", errors="replace"))
            raise


def _report(outcome: runs.Outcome, request: runs.Request, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(outcome.as_json(request.out)), flush=True)
        return
    Console(stderr=True).print(outcome.call.as_table())
    if not outcome.columns:  # a model, which is no table
        return
    title = f"top {len(outcome.top)} of {outcome.call.rows_out:,} in {request.out}"
    Console(file=sys.stdout).print(report.row_table(outcome.columns, outcome.top, title=title))


def _words(argv: list[str]) -> list[str]:
    """`--undirected` and a bare `--directed` as `--directed false|true`: the other spellings of a yes or no."""
    words: list[str] = []
    for i, word in enumerate(argv):
        bare = i + 1 == len(argv) or argv[i + 1].lower() not in ("true", "false")
        if word == "--undirected":
            words += ["--directed", "false"]
        elif word == "--directed" and bare:
            words += ["--directed", "true"]
        else:
            words.append(word)
    return words


def _fail(error: BaseException) -> int:
    """One line on stderr, and the exit status."""
    ours = error if isinstance(error, SparkGapError) else translate(error)
    if ours is not None:
        print(ours, file=sys.stderr)
        return ours.code
    if type(error).__name__ == "NoArgsIsHelpError":
        print(error, file=sys.stderr)
        return ArgumentError.code
    if hasattr(error, "format_message"):  # the parser of the command line
        said = " ".join(error.format_message().split()).rstrip(".")
        print(ArgumentError.of("command line", "words as in its help", said, "Add --help to see it."), file=sys.stderr)
        return ArgumentError.code
    text = next((line.strip() for line in str(error).splitlines() if line.strip()), "no text").rstrip(".")
    if "No space left on device" in str(error):
        print(
            ResourceError.of("disk", "room to work", text, "Free some, or use --store and --out elsewhere."),
            file=sys.stderr,
        )
        return ResourceError.code
    print(
        f"sparkgap: expected no failure, found {type(error).__name__}: {text}. Add --debug to see where.",
        file=sys.stderr,
    )
    return SparkGapError.code


def _check_kernel(argv: list[str]) -> None:
    if len(argv) > 1 and argv[0] == "run" and not argv[1].startswith("-"):
        specs.describe(argv[1])


def main(argv: list[str] | None = None) -> int:
    """Run the command line and give its exit status.

    Examples
    --------
    >>> main(["describe", "nothing"])
    2
    """
    words = _words(sys.argv[1:] if argv is None else list(argv))
    before = surface.set("cli")
    try:
        with warnings.catch_warnings():
            if "--debug" not in words:
                warnings.simplefilter("ignore")  # what libraries say to programmers is not for users of a command
            return _status(words)
    finally:
        surface.reset(before)


def _status(words: list[str]) -> int:
    try:
        _check_kernel(words)
        status = make_app()(words, standalone_mode=False, prog_name="sparkgap")
        if status == INTERRUPTED:  # what typer makes of an interrupt
            return _interrupted()
        return status if isinstance(status, int) else 0
    except KeyboardInterrupt:
        return _interrupted()
    except BrokenPipeError:
        return 0
    except Exception as e:
        if type(e).__name__ == "Abort":  # an interrupt at a prompt
            return _interrupted()
        if "--debug" in words:
            traceback.print_exc()
        return _fail(e)


def _interrupted() -> int:
    print("sparkgap: expected to finish, found an interrupt. Run it again.", file=sys.stderr)
    return INTERRUPTED


def entry() -> None:
    """The console script."""
    status = main()
    sys.stdout.flush()
    sys.stderr.flush()
    if status == INTERRUPTED:
        os._exit(status)  # threads that still wait for Spark must not hold the process
    sys.exit(status)
