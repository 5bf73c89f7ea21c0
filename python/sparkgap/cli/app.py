# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The command `sparkgap`: its verbs, and how it ends."""

from __future__ import annotations

import importlib
import os
import sys
import traceback
import warnings
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from .. import spec as specs
from ..environment import missing, own_version
from ..errors import ArgumentError, ResourceError, SparkGapError, surface, translate
from . import completion, standard_input

INTERRUPTED = 130
_VERBS = ("describe", "doctor", "topo", "report", "advise", "profile", "cxx", "mpirun", "mapreduce", "completion")
_GROUPS = ("run", "store", "lab", "cluster")


def _main(version: Annotated[bool, typer.Option("--version", help="Print the version and end.")] = False) -> None:
    if version:
        print(f"sparkgap {own_version()}")
        raise typer.Exit


def make_app(words: Sequence[str] = ()) -> typer.Typer:
    """The command line, with a verb below `run` for every kernel that is installed now; where `words` begin with a
    verb, no more than that one, for each takes its time to load.
    """
    plain: dict[str, Any] = {"no_args_is_help": True, "rich_markup_mode": None}
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, **plain)
    app.callback(invoke_without_command=True, help="Spark's heavy parts at the speed of the hardware.")(_main)
    first = words[0] if words and words[0] in (*_VERBS, *_GROUPS) else None
    for name in _VERBS:
        if first in (None, name):
            verb = getattr(importlib.import_module(f".{name}", __package__), name)
            # What stands behind PROGRAM is the program's, options too.
            settings = {"allow_interspersed_args": False} if name in ("mpirun", "mapreduce", "profile") else {}
            app.command(context_settings=settings)(verb)
    for name in _GROUPS:
        if first in (None, name):
            group = importlib.import_module(f".{name}", __package__)
            app.add_typer(group.make_app(words[1:], **plain), name=name)
    return app


def _words(argv: list[str]) -> list[str]:
    """`--undirected` and a bare `--directed` as `--directed false|true`, the other spellings of a yes or no; stdin of a
    format as a word.
    """
    words: list[str] = []
    for i, word in enumerate(argv):
        bare = i + 1 == len(argv) or argv[i + 1].lower() not in ("true", "false")
        if word == "--undirected":
            words += ["--directed", "false"]
        elif word == "--directed" and bare:
            words += ["--directed", "true"]
        else:
            words.append(word if i and argv[i - 1] == "--out" else standard_input.word(word))
    return words


def _fail(error: BaseException) -> int:
    """One line on stderr, and the exit status."""
    ours = error if isinstance(error, SparkGapError) else translate(error)
    if ours is None and isinstance(error, ModuleNotFoundError) and error.name:
        ours = missing(error, error.name.partition(".")[0])
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
    if words[:1] == ["report"]:
        from .report import words as report_words

        words = report_words(words)
    if argv is None and completion.VARIABLE in os.environ:
        completion.answer()
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
        status = make_app(words)(words, standalone_mode=False, prog_name="sparkgap")
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
    if status == INTERRUPTED and "pyspark" in sys.modules:
        os._exit(status)  # threads that still wait for Spark must not hold the process
    sys.exit(status)
