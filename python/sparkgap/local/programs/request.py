# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What a local `mpi.run` asks for, checked before anything is made."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ... import user_program
from ...errors import ArgumentError, DataError
from .. import rows
from ..publish import as_stored
from . import arguments, formats, left_files, schema

if TYPE_CHECKING:
    import pyarrow as pa

_NAME = re.compile("[A-Za-z0-9_]{1,64}")
_VARIABLE = re.compile("[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True)
class Output:
    """One output: its columns, its format and, where the program takes no path for it, its file's name."""

    columns: pa.Schema
    form: formats.Format
    file: str | None


@dataclass(frozen=True)
class Request:
    """A call, checked."""

    program: Path
    name: str
    arguments: Sequence[str]
    inputs: Mapping[str, tuple[pa.Table, formats.Format]]
    given: Mapping[str, Any]  # the inputs as the user gave them
    outputs: Mapping[str, Output]
    environment: Mapping[str, str]
    logs: Path | None


def checked(program: Any, args: Any, inputs: Any, outputs: Any, forms: Any, files: Any, env: Any, logs: Any) -> Request:
    """The request that the arguments of `run` make.

    Raises
    ------
    SparkGapError
        What is wrong with them.
    """
    inputs, outputs, forms, files, env = (
        user_program.named(what, given)
        for what, given in (
            ("inputs", inputs),
            ("outputs", outputs),
            ("formats", forms),
            ("files", files),
            ("env", env),
        )
    )
    begin, name = user_program.command(program)
    user_program.checked_names(inputs, outputs, forms, files)
    words = [*begin[1:], *user_program.words(args)]
    if any("\0" in word for word in words):
        raise ArgumentError.of("args", "words without NUL characters", "one", "Leave it out.")
    form_of = {n: formats.of(f"formats.{n}", forms.get(n, "arrow")) for n in [*inputs, *outputs]}
    left = {n: str(file) for n, file in files.items()}
    left_files.check(left, {n for n in outputs if form_of[n].kind == "arrow"}, _folders(words))
    return Request(
        _program(begin[0]),
        name,
        words,
        {n: (_rows(n, given, form_of[n]), form_of[n]) for n, given in inputs.items()},
        inputs,
        {n: Output(_columns(n, given, form_of[n]), form_of[n], left.get(n)) for n, given in outputs.items()},
        _environment(env),
        _folder(logs),
    )


def places(request: Request) -> list[str]:
    """What arguments may name."""
    tables = [f"inputs.{name}" for name in request.inputs] + [f"outputs.{name}" for name in request.outputs]
    return [*tables, "ranks", "rank_count", "rank", "threads", "job"]


def _folders(words: Sequence[str]) -> set[str]:
    return {place.partition(".")[2] for place in arguments.folders(words) if place.startswith("outputs.")}


def _rows(name: str, given: Any, form: formats.Format) -> pa.Table:
    where = f"inputs.{_named('inputs', name)}"
    found = as_stored(where, rows.table(where, given))
    form.check(where, found.schema, DataError)
    return found


def _columns(name: str, given: Any, form: formats.Format) -> pa.Schema:
    where = f"outputs.{_named('outputs', name)}"
    found = schema.columns(where, given)
    form.check(where, found, ArgumentError)
    return found


def _named(what: str, name: str) -> str:
    if not _NAME.fullmatch(name):
        raise ArgumentError.of(what, "names of letters, digits and _, at most 64", repr(name), "Choose another name.")
    return name


def _program(word: str) -> Path:
    """Errors: ArgumentError where there is no such program or it cannot be run."""
    if "/" not in word:
        found = shutil.which(word)
        if found is None:
            raise ArgumentError.of("program", "a program that can be run", f"no '{word}' in PATH", "Check the name.")
        return Path(found).absolute()
    path = Path(os.path.abspath(word))
    if not path.exists():
        raise ArgumentError.of("program", "a program that can be run", f"nothing at {path}", "Check the path.")
    if path.is_dir():
        raise ArgumentError.of("program", "a program that can be run", f"the folder {path}", "Check the path.")
    if not os.access(path, os.X_OK):
        do = f"Do chmod +x {path} or choose another."
        raise ArgumentError.of("program", "a program that can be run", f"{path}, which may not be executed", do)
    return path


def _environment(given: Mapping[str, Any]) -> dict[str, str]:
    for name in given:
        if not _VARIABLE.fullmatch(name) or name.startswith(("SPARKGAP_", "PMI_")):
            expected = "names of variables that are not SPARKGAP_* or PMI_*"
            raise ArgumentError.of("env", expected, repr(name), "Leave it out.")
        if "\0" in str(given[name]):
            raise ArgumentError.of(f"env.{name}", "a value without NUL characters", "one", "Leave it out.")
    return {name: str(value) for name, value in given.items()}


def _folder(logs: Any) -> Path | None:
    place = user_program.folder(logs)
    if place is None:
        return None
    if not os.path.isdir(place) or not os.access(place, os.W_OK):
        raise ArgumentError.of("logs", "a folder that can be written", repr(place), "Make it first.")
    return Path(place)
