# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Rows of a study: each a file as soon as its run has ended, and all of them one table."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ArgumentError, DataError, ResourceError
from .cost import add_prices, prices

if TYPE_CHECKING:
    import pyarrow as pa

TABLE, _ROWS, _STUDY, _HOST, _LOCK = "results.parquet", "rows", "study.toml", "machine.json", "lock"
_META = "sparkgap.lab"


@dataclass(frozen=True)
class Results:
    """A study that ran, or runs: its text, its scale, the machine, and a row for each run."""

    name: str
    text: str
    scale: str
    machine: dict[str, Any]
    rows: list[dict[str, Any]]

    def table(self) -> pa.Table:
        """A row for each run, those that died and those that were left out too. Factors are columns `level_<factor>`,
        lists and settings are JSON; the study itself is in the table's metadata.
        """
        import pyarrow as pa

        flat = [_flat(row) for row in self.rows]
        names = list(dict.fromkeys(name for row in flat for name in row))
        columns = {name: [row.get(name) for row in flat] for name in names}
        said = {"name": self.name, "text": self.text, "scale": self.scale, "machine": self.machine}
        table = pa.table({name: _column(values) for name, values in columns.items()})
        return table.replace_schema_metadata({_META: json.dumps(said)})


class Notebook:
    """A folder with what a study has done so far; it may be cut off at any moment."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def begin(self, name: str, text: str, scale: str, machine: dict[str, Any], *, resume: bool) -> None:
        """Make the folder, or go on in it.

        Raises
        ------
        ArgumentError
            There is something in it already, or, with `resume`, another study or scale.
        ResourceError
            It cannot be made.
        """
        said = {"name": name, "scale": scale, "machine": machine}
        if self.folder.exists() and (not self.folder.is_dir() or any(self.folder.iterdir())):
            if not resume:
                found = f"{self.folder}, which is not empty"
                raise ArgumentError.of("--out", "a new or empty folder", found, "Add --resume to go on there.")
            before = _json(self.folder / _HOST)
            is_same = before is not None and (before["name"], before["scale"], before["machine"]) == (
                name,
                scale,
                machine,
            )
            if not is_same or _text(self.folder / _STUDY) != text:
                found = f"{self.folder} with another study, or of another machine"
                do = "Choose another folder, or leave --resume out."
                raise ArgumentError.of("--resume", f"a folder with {name} at scale {scale} of this machine", found, do)
            return
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            (self.folder / _ROWS).mkdir(mode=0o700)
            _write(self.folder / _STUDY, text)
            _write(self.folder / _HOST, json.dumps(said))
        except OSError as e:
            found = e.strerror or str(e)
            raise ResourceError.of(
                f"--out {self.folder}", "a folder that can be made", found, "Choose another."
            ) from None

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """By this process alone, until it ends, however it does.

        Raises
        ------
        ArgumentError
            Another one works in it.
        """
        with (self.folder / _LOCK).open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                found = f"{self.folder}, in which another lab works"
                raise ArgumentError.of("--out", "a folder of this call alone", found, "Wait for its end.") from None
            yield

    def add(self, row: dict[str, Any]) -> None:
        """A run has ended; a row of the same run is replaced."""
        _write(self.folder / _ROWS / f"{row['key']}.json", json.dumps(row))

    def rows(self) -> dict[str, dict[str, Any]]:
        """By the key of their run, in the order in which they began."""
        found = [_json(file) for file in (self.folder / _ROWS).glob("*.json")]
        return {row["key"]: row for row in sorted(filter(None, found), key=lambda row: row["begun"])}

    def results(self) -> Results:
        """What there is."""
        said = _json(self.folder / _HOST)
        text = _text(self.folder / _STUDY)
        if said is None or text is None:
            do = "Name what `sparkgap lab run` has written."
            raise DataError.of("results", "a folder of a study, or its results.parquet", str(self.folder), do)
        return Results(said["name"], text, said["scale"], said["machine"], list(self.rows().values()))

    def write_table(self) -> Path:
        """All rows as Parquet."""
        import pyarrow.parquet as pq

        aside = self.folder / f"{TABLE}.part"
        found = self.results()
        add_prices(found.rows, prices())
        pq.write_table(found.table(), aside)
        os.replace(aside, self.folder / TABLE)
        return self.folder / TABLE


def load(path: Path) -> Results:
    """Results of a folder, or of the table alone.

    Raises
    ------
    ArgumentError
        There is nothing of that name.
    DataError
        It is neither.
    """
    if path.is_dir():
        return Notebook(path).results()
    import pyarrow as pa
    import pyarrow.parquet as pq

    if not path.exists():
        raise ArgumentError.of(
            "results", "a folder of a study, or its results.parquet", f"no {path}", "Check the name."
        )
    try:
        table = pq.read_table(path)
        said = json.loads(table.schema.metadata[_META.encode()])
        rows = [_deep(row) for row in table.to_pylist()]
        return Results(said["name"], said["text"], said["scale"], said["machine"], rows)
    except (OSError, pa.ArrowException, KeyError, TypeError, ValueError):
        do = "Name what `sparkgap lab run` has written."
        raise DataError.of("results", "a folder of a study, or its results.parquet", str(path), do) from None


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    levels = {f"level_{name}": str(level) for name, level in row["levels"].items()}
    rest = {name: json.dumps(value) if isinstance(value, (list, dict)) else value for name, value in row.items()}
    return {**rest, **levels}


def _deep(row: dict[str, Any]) -> dict[str, Any]:
    """The reverse; what a row does not have is no column of it."""
    found = {name: value for name, value in row.items() if value is not None and not name.startswith("level_")}
    for name in ("experiments", "levels", "settings", "each_work_s", "warnings"):
        if name in found:
            found[name] = json.loads(found[name])
    return found


def _column(values: list[Any]) -> Any:
    """Whole numbers beside others are none."""
    kinds = {type(value) for value in values if value is not None}
    return [None if value is None else float(value) for value in values] if kinds == {int, float} else values


def _json(file: Path) -> Any:
    """None where it is not there, or not whole."""
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def _text(file: Path) -> str | None:
    try:
        return file.read_text(encoding="utf-8")
    except OSError:
        return None


def _write(file: Path, text: str) -> None:
    aside = file.with_name(f"{file.name}.part")
    aside.write_text(text, encoding="utf-8")
    aside.replace(file)
