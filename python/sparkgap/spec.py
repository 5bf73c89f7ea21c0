# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What the kernels declare about themselves, read from the JSON that `sparkgap-<kernel> --describe` prints."""

from __future__ import annotations

import json
import math
import subprocess
from dataclasses import dataclass, field
from numbers import Integral
from pathlib import Path
from typing import Any

from .errors import ArgumentError, LaunchError, SparkGapError

NATIVE = Path(__file__).parent / "native"
JAR = Path(__file__).parent / "jars" / "sparkgap.jar"

_DESCRIBE_TIMEOUT_S = 20


@dataclass(frozen=True)
class Parameter:
    """One parameter of a kernel."""

    name: str
    kind: str
    default: Any
    doc: str
    unit: str = ""
    min: float | None = None
    max: float | None = None
    min_exclusive: bool = False
    max_exclusive: bool = False
    expected: str = ""  # what values may be, in the words of all errors
    choices: tuple[str, ...] = ()
    of: str = ""
    accepts: str = ""

    @property
    def required(self) -> bool:
        """Whether it must be given: a vertex id has no default that makes sense."""
        return self.kind == "id" and self.default is None

    def check(self, value: Any, *, where: str | None = None) -> Any:
        """The value in the type that SQL needs; None stays None where the parameter need not be given.

        Raises
        ------
        ArgumentError
            The type is wrong or the value is out of range; `where` is the name that the user typed.
        """
        if value is None and not self.required:
            return None
        checked = self._typed(value)
        if checked is None or not self._in_range(checked):
            raise ArgumentError.of(where or self.name, self.expected, repr(value), self._advice(where or self.name))
        return checked

    def _typed(self, value: Any) -> Any:
        if self.kind == "bool":
            return bool(value) if isinstance(value, bool) or type(value).__name__ == "bool_" else None
        if self.kind in ("int", "double"):
            if isinstance(value, (bool, str, bytes)):
                return None
            try:
                number = float(value) if self.kind == "double" else int(value)
            except (TypeError, ValueError, OverflowError):
                return None
            return None if self.kind == "int" and number != value else number
        if self.kind == "id":
            if isinstance(value, str):
                return value
            return str(int(value)) if isinstance(value, Integral) and not isinstance(value, bool) else None
        if self.kind == "ids":
            if isinstance(value, (str, bytes, dict)) or not hasattr(value, "__iter__"):
                return None
            ids = list(value)
            return None if any(i is None or isinstance(i, (bool, float)) for i in ids) else [str(i) for i in ids]
        if self.kind == "columns":
            names = [value] if isinstance(value, str) else list(value) if isinstance(value, (list, tuple)) else []
            return names if all(isinstance(name, str) and name for name in names) else None
        return value if isinstance(value, str) else None

    def _in_range(self, value: Any) -> bool:
        if self.kind == "choice":
            return value in self.choices
        if self.kind in ("ids", "columns"):
            return len(value) > 0
        if self.kind not in ("int", "double"):
            return True
        if isinstance(value, float) and math.isnan(value):
            return False
        if self.min is not None and (value <= self.min if self.min_exclusive else value < self.min):
            return False
        return self.max is None or (value < self.max if self.max_exclusive else value <= self.max)

    def _advice(self, where: str) -> str:
        if self.required:
            return "Give the id of a vertex, an integer or a string."
        if self.default is None:
            return f"Give another value, or leave {where} out."
        default = str(self.default).lower() if isinstance(self.default, bool) else self.default
        if isinstance(default, list):
            default = ", ".join(default)
        return f"Give another value, or leave {where} out for {default}."

    def parse(self, text: str, *, where: str) -> Any:
        """The value that a word of a command line means.

        Examples
        --------
        >>> Parameter("source_ids", "ids", None, "").parse("1, 2", where="--source-ids")
        ['1', '2']
        """
        value: Any = text
        if self.kind == "bool":
            value = {"true": True, "false": False}.get(text.strip().lower(), text)
        elif self.kind in ("ids", "columns"):
            value = [part.strip() for part in text.split(",") if part.strip()]
        elif self.kind in ("int", "double"):
            try:
                value = int(text) if self.kind == "int" else float(text)
            except ValueError:
                value = text
        try:
            return self.check(value, where=where)
        except ArgumentError:
            raise ArgumentError.of(where, self.expected, repr(text), self._advice(where)) from None


@dataclass(frozen=True)
class Input:
    """One input of a kernel; `columns` are (name, what it accepts) of the columns with fixed names.

    A `stored_graph` is given by its name, in place of all tables.
    """

    name: str
    required: bool
    doc: str
    columns: tuple[tuple[str, str], ...] = ()
    stored_graph: bool = False


@dataclass(frozen=True)
class Spec:
    """The one declaration of a kernel: everything that restates it is derived from it or tested against it."""

    name: str
    family: str
    summary: str
    source: str
    match: dict[str, Any]
    inputs: tuple[Input, ...]
    parameters: tuple[Parameter, ...]
    output: tuple[tuple[str, str], ...]
    makes_graph: bool = False
    notes: str = ""
    refuses: str = ""
    figures: dict[str, str] = field(default_factory=dict)
    output_docs: dict[str, str] = field(default_factory=dict)

    @property
    def tables(self) -> tuple[Input, ...]:
        """The inputs that are tables, the main one first."""
        return tuple(i for i in self.inputs if not i.stored_graph)

    def columns_of(self, table: str, values: dict[str, Any]) -> list[str]:
        """The names that the columns of a file without a header have, in their order in that file."""
        fixed = [name for i in self.inputs if i.name == table for name, _ in i.columns]
        named: list[str] = []
        for p in self.parameters:
            if p.of == table and (p.kind == "column" or p.default or values.get(p.name)):
                given = values.get(p.name) or p.default or p.name
                named += given if isinstance(given, list) else [given]
        return fixed + named

    def needed_of(self, table: str, values: dict[str, Any]) -> list[str]:
        """Those of them that a file must have."""
        absent = [p for p in self.parameters if p.default is None and values.get(p.name) is None]
        optional = {p.name for p in absent if p.kind in ("column", "columns")}
        return [n for n in dict.fromkeys(self.columns_of(table, values)) if n not in optional]


def from_json(text: str) -> Spec:
    """The Spec in the JSON of `--describe`."""
    raw = json.loads(text)
    return Spec(
        name=raw["name"],
        family=raw["family"],
        summary=raw["summary"],
        source=raw["source"],
        match=raw["match"],
        inputs=tuple(
            Input(
                i["name"],
                i["required"],
                i["doc"],
                tuple((c["name"], c["accepts"]) for c in i["columns"]),
                i.get("stored_graph", False),
            )
            for i in raw["inputs"]
        ),
        parameters=tuple(
            Parameter(
                **{
                    **{k: p[k] for k in Parameter.__dataclass_fields__ if k in p},
                    "choices": tuple(p.get("choices", ())),
                }
            )
            for p in raw["parameters"]
        ),
        output=tuple((f["name"], f["type"]) for f in raw["output"]),
        makes_graph=raw.get("makes_graph", False),
        notes=raw.get("notes", ""),
        refuses=raw.get("refuses", ""),
        figures=raw.get("figures", {}),
        output_docs={f["name"]: f.get("doc", "") for f in raw["output"]},
    )


def names(native: Path = NATIVE) -> list[str]:
    """The kernels that are installed, sorted."""
    return sorted(p.stem.removeprefix("sparkgap-") for p in native.glob("sparkgap-*.json"))


def describe(name: str, native: Path = NATIVE) -> str:
    """The JSON text that kernel `name` says about itself.

    Raises
    ------
    ArgumentError
        There is no kernel of that name.
    """
    if not name.isidentifier() or name not in names(native):
        known = ", ".join(names(native)) or "none"
        raise ArgumentError.of(
            "kernel", f"one of {known}", repr(name), "Run 'sparkgap doctor' to see what is installed."
        )
    return (native / f"sparkgap-{name}.json").read_text(encoding="utf-8")


def load(name: str, native: Path = NATIVE) -> Spec:
    """The Spec of kernel `name`.

    Examples
    --------
    >>> load("pagerank").family
    'graph'
    """
    return from_json(describe(name, native))


def describe_live(name: str, native: Path = NATIVE) -> Spec:
    """The same as `load`, asked from the program itself: proof that it runs on this machine.

    Raises
    ------
    LaunchError
        The program cannot be started, fails or prints something else.
    """
    program = native / f"sparkgap-{name}"
    try:
        done = subprocess.run(
            [str(program), "--describe"],
            capture_output=True,
            text=True,
            timeout=_DESCRIBE_TIMEOUT_S,
            stdin=subprocess.DEVNULL,
        )
        if done.returncode == 0:
            return from_json(done.stdout)
        found = (
            f"exit status {done.returncode}"
            f" ({done.stderr.strip().splitlines()[-1] if done.stderr.strip() else 'no text'})"
        )
    except (OSError, ValueError, KeyError, subprocess.TimeoutExpired) as e:
        found = str(e)
    raise _broken(program, found)


def _broken(program: Path, found: str) -> SparkGapError:
    return LaunchError.of(program.name, "a program that answers --describe", found, "Build or install sparkgap again.")
