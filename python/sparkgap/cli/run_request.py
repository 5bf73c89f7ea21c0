# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What a command line of `sparkgap run` asks for, and what comes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ..call import COMMON, Call
from ..errors import ArgumentError
from ..files import destinations
from ..files.formats import is_url
from ..files.text_options import TextOptions
from ..spec import Spec
from .text_files import check_files

# Families whose kernels give a model, and what loads the folder that it is saved in.
MODELS = {"ml": "MLlib", "tensor": "sparkgap.tensor.CPDModel"}
TOP = 10


@dataclass(frozen=True)
class Shown:
    """Which rows of a result people see: the `rows` first by one column, the highest or the lowest of its values."""

    rows: int = TOP
    column: str | None = None
    lowest: bool = False

    @staticmethod
    def of(sort: str | None, rows: int | None, spec: Spec) -> Shown:
        """From `--sort` and `--top`. Errors: ArgumentError."""
        if rows is not None and rows < 0:
            raise ArgumentError.of("--top", "a whole number from 0 on", str(rows), "Give for example 20.")
        columns = [name for name, _ in spec.output]
        column = None if sort is None else sort.removeprefix("-")
        if column is not None and column not in columns:
            expected = f"a column of the result ({', '.join(columns)}), with a - before it for the lowest first"
            raise ArgumentError.of("--sort", expected, repr(sort), f"Give for example {columns[-1]}.")
        return Shown(TOP if rows is None else rows, column, sort is not None and sort.startswith("-"))

    def by(self, spec: Spec) -> str | None:
        """The column that they are sorted by. The rows of a generator have no order unless one is asked for."""
        return self.column or (spec.output[-1][0] if spec.inputs else None)


@dataclass(frozen=True)
class Request:
    """What a command line asks for; `files` are the inputs by name, those that are a str URLs, `values` the kernel's
    parameters that were given.
    """

    spec: Spec
    files: Mapping[str, Path | str]
    values: Mapping[str, Any]
    out: str | Path | None
    engine: str = "native"
    ranks: int | None = None
    threads: int | None = None
    timeout_s: float | None = None
    store: Path | None = None
    conf: Mapping[str, str] = field(default_factory=dict)
    overwrite: bool = False
    how: TextOptions = field(default_factory=TextOptions)
    master: str | None = None
    spark: bool = False
    shown: Shown = field(default_factory=Shown)

    @property
    def model(self) -> bool:
        """Whether the result is a model in a folder, which Spark saves."""
        named_as_file = self.out is not None and destinations.is_file_name(self.out)
        return self.spec.family in MODELS and (self.asks_for_spark or not named_as_file)

    @property
    def asks_for_spark(self) -> bool:
        """Whether the words say that it shall go through Spark."""
        return self.spark or self.master is not None or bool(self.conf) or self.engine == "spark"

    @property
    def through_spark(self) -> bool:
        """Whether it goes through Spark."""
        return self.asks_for_spark or self.model

    @property
    def to_stdout(self) -> bool:
        """Whether the result goes to stdout."""
        return self.out is not None and destinations.standard(self.out) is not None

    def check(self) -> None:
        """Refuse what cannot be read or written, before any work.

        Raises
        ------
        ArgumentError, ResourceError
            One of these.
        """
        self.check_places()
        check_files(self.files.values(), self.how)

    def check_places(self) -> None:
        """Refuse what cannot be reached or written; no input is opened. Errors: ArgumentError, ResourceError."""
        for where, place in (*(("INPUT", place) for place in self.files.values()), ("--out", self.out)):
            if place is not None and is_url(place) and (not self.through_spark or (self.model and place is self.out)):
                do = (
                    "Choose another."
                    if self.through_spark
                    else "Add --spark, which reads and writes there, or copy it."
                )
                raise ArgumentError.of(where, "a file of this machine", str(place), do)
        if self.model:
            if self.out is None:
                do = "Give a folder for the model, or a file for its rows."
                raise ArgumentError.of("--out", "a place for the result", "none", do)
            destinations.check_model(self.out, overwrite=self.overwrite)
        elif self.out is not None and not self.to_stdout and not is_url(self.out):
            destinations.kind_of(self.out)
            destinations.check(self.out, overwrite=self.overwrite)


@dataclass(frozen=True)
class Outcome:
    """The call's figures with reading and saving added, and the first rows where people see some."""

    call: Call
    startup_s: float
    top: list[tuple[Any, ...]]
    columns: list[str]

    def as_json(self, out: str | Path | None) -> dict[str, Any]:
        """The object of `--json`."""
        objective: dict[str, Any] = {
            name: self.call.figures[name][0] for name in ("objective", "fit") if name in self.call.figures
        }
        place = None if out is None else str(out)
        return {**asdict(self.call), **objective, "startup_s": self.startup_s, "out": place}


def parse(spec: Spec, words: Mapping[str, str | None], *, typed: str = "--{}") -> dict[str, Any]:
    """The values that the words of a command line mean, by parameter; those that were not given are left out.

    Raises
    ------
    ArgumentError
        A word is not a value of its parameter.
    """
    known = {p.name: p for p in (*spec.parameters, *COMMON)}
    return {
        name: known[name].parse(word, where=typed.format(name.removesuffix("_s").replace("_", "-")))
        for name, word in words.items()
        if word is not None
    }
