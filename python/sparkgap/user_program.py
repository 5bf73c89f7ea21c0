# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What `mpi.run` is called with, with Spark and without, as far as both check it alike; and what it gives."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import ArgumentError, LaunchError

if TYPE_CHECKING:
    from .call import Call


@dataclass(frozen=True)
class Result:
    """What a program made: `outputs` holds a table by name, each also an attribute and an item.

    `sparkgap` are the call's figures, `printed` the last 4 KiB that rank 0 printed, `logs` the path of each rank's log
    where `logs` was given.
    """

    outputs: Mapping[str, Any]
    sparkgap: Call
    printed: str
    logs: Mapping[int, str]

    def __getitem__(self, name: str) -> Any:
        return self.outputs[name]

    def __getattr__(self, name: str) -> Any:
        outputs = self.__dict__.get("outputs", {})
        if name in outputs:
            return outputs[name]
        raise AttributeError(f"{name}: expected one of {', '.join(outputs) or 'no outputs'}, found none of that name.")

    def __iter__(self) -> Iterator[str]:
        return iter(self.outputs)


def checked_names(
    inputs: Mapping[str, Any], outputs: Mapping[str, Any], formats: Mapping[str, str], files: Mapping[str, Any]
) -> None:
    """Refuse a format or a file of what is neither input nor output, or both.

    Raises
    ------
    ArgumentError
        There is one.
    """
    both = sorted(set(inputs) & set(outputs) & set(formats))
    if both:
        raise ArgumentError.of(
            "formats", "names that are an input or an output", f"{both[0]!r}, which is both", "Rename one of them."
        )
    unknown = sorted(set(formats) - set(inputs) - set(outputs))
    if unknown:
        raise ArgumentError.of("formats", "names of inputs or outputs", repr(unknown[0]), "Correct the name.")
    strange = sorted(set(files) - set(outputs))
    if strange:
        raise ArgumentError.of("files", "names of outputs", repr(strange[0]), "Correct the name.")


def words(args: Any) -> list[str]:
    """The further arguments of a program. Errors: ArgumentError where they are none."""
    if isinstance(args, (str, bytes)) or not isinstance(args, Iterable):
        raise ArgumentError.of("args", "a list of arguments", repr(args), 'Give for example ["-n", 5].')
    return [str(word) for word in args]


def named(what: str, given: Any) -> dict[str, Any]:
    """The mapping that an argument is."""
    if given is None:
        return {}
    if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
        raise ArgumentError.of(what, "a dict whose keys are names", repr(given), 'Give for example {"name": ...}.')
    return dict(given)


def seconds(timeout: Any) -> float | None:
    if timeout is None:
        return None
    if isinstance(timeout, bool) or not isinstance(timeout, (int, float)):
        raise ArgumentError.of("timeout", "a number of seconds", repr(timeout), "Give for example timeout=60.")
    return float(timeout)


def folder(logs: Any) -> str | None:
    if logs is None:
        return None
    if not isinstance(logs, (str, os.PathLike)):
        raise ArgumentError.of("logs", "the path of a folder", repr(logs), "Give a str or a Path.")
    return str(Path(logs).absolute())


def command(program: str | Path | Sequence[str]) -> tuple[list[str], str]:
    """The words to start it with, and what to call it."""
    if isinstance(program, (str, Path)):
        path = str(program)
        if path.endswith(".py"):
            if importlib.util.find_spec("mpi4py") is None:
                raise LaunchError.of(
                    "program",
                    f"mpi4py, which runs {Path(path).name}",
                    "none in this Python",
                    "Run: pip install mpi4py.",
                )
            script = os.path.abspath(path)
            if not os.path.isfile(script):
                raise ArgumentError.of("program", "a Python script", f"nothing at {script}", "Check the path.")
            # This module ends all ranks when one of them raises; else the others would wait for it.
            return [sys.executable, "-m", "mpi4py", script], _name(path)
        return [path], _name(path)
    if not isinstance(program, Sequence):
        raise ArgumentError.of("program", "a path, a name or a list of words", repr(program), "Give one of these.")
    words = [str(word) for word in program]
    if not words:
        raise ArgumentError.of("program", "a command", "an empty list", "Give the program and its arguments.")
    return words, _name(words[0])


def _name(path: str) -> str:
    return "".join(c if c.isascii() and (c.isalnum() or c == "_") else "_" for c in Path(path).stem)[:64] or "program"
