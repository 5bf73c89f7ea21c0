# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""DataFrames and Arrow tables as files, in the format that the name asks for (docs/files.md)."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import IO, TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.ipc

from ..errors import ArgumentError, DataError, ResourceError
from .arrow_scalars import string
from .destinations import kind_of, put_aside, standard
from .formats import is_url

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_DELIMITERS = {".csv": ",", ".tsv": "\t"}
_BATCH_ROWS = 1 << 16


def save(frame: DataFrame, path: str | Path, *, overwrite: bool) -> None:
    """Write `frame` to `path`: aside first, then renamed, so that a file of that name is whole.

    Raises
    ------
    DataError
        A column has a type that the format has no place for.
    ResourceError
        The disk is full, or Spark cannot write to a URL.
    """
    if standard(path) is not None:
        save_table(frame.toArrow(), path, overwrite=overwrite)
        return
    if is_url(path):
        _save_there(frame, str(path), overwrite=overwrite)
        return
    kind = kind_of(path)
    with put_aside(path, overwrite=overwrite, one_file=kind != "") as aside:
        (frame.coalesce(1) if kind == ".parquet" else frame).write.parquet(f"file://{aside}")
        if kind in ("", ".parquet"):
            return
        import pyarrow.parquet as pq

        parts = sorted(p for p in aside.iterdir() if p.suffix == ".parquet")
        schema = pq.read_schema(parts[0])
        batches = (batch for part in parts for batch in pq.ParquetFile(part).iter_batches())
        _write(batches, schema, aside / f"part-whole{kind}", kind)
        for part in parts:
            part.unlink()


def _save_there(frame: DataFrame, url: str, *, overwrite: bool) -> None:
    """Parquet in a file system that Spark alone writes."""
    try:
        frame.write.mode("overwrite" if overwrite else "errorifexists").parquet(url)
    except Exception as e:
        if "PATH_ALREADY_EXISTS" in str(e):
            do = "Choose another or add --overwrite."
            raise ArgumentError.of("--out", "a path that does not exist yet", url, do) from None
        first = str(e).splitlines()[0].rstrip(".")
        raise ResourceError.of("--out", "a place where Spark can write", f"{url}: {first}", "Choose another.") from None


def save_table(table: pa.Table, path: str | Path, *, overwrite: bool) -> None:
    """The same for a table. Errors: the same."""
    to_stdout = standard(path)
    if to_stdout is not None:
        _write_to_stdout(table, to_stdout)
        return
    kind = kind_of(path)
    with put_aside(path, overwrite=overwrite, one_file=kind != "") as aside:
        aside.mkdir()
        if kind in ("", ".parquet"):
            import pyarrow.parquet as pq

            pq.write_table(table, aside / "part-00000.parquet")
        else:
            _write(table.to_batches(_BATCH_ROWS), table.schema, aside / f"part-whole{kind}", kind)


def _write_to_stdout(table: pa.Table, kind: str) -> None:
    try:
        if kind == ".arrow":
            with pa.ipc.new_stream(pa.PythonFile(sys.stdout.buffer, mode="w"), table.schema) as writer:
                writer.write_table(table)
        else:
            write_text(table.to_batches(_BATCH_ROWS), table.schema, sys.stdout.buffer, kind)
        sys.stdout.buffer.flush()
    except BrokenPipeError:  # a reader such as head has enough: no error, and nothing more to write
        with open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), sys.stdout.fileno())


def _write(batches: Iterable[pa.RecordBatch], schema: pa.Schema, file: Path, kind: str) -> None:
    if kind == ".arrow":
        with pa.ipc.new_file(str(file), schema) as writer:
            for batch in batches:
                writer.write_batch(batch)
        return
    with file.open("wb") as opened:
        write_text(batches, schema, opened, kind)


def write_text(batches: Iterable[pa.RecordBatch], schema: pa.Schema, file: IO[bytes], kind: str) -> None:
    """Rows as CSV that reads back as the same table: strings in quotes, doubles with a point or an exponent, nothing
    for null.

    `pyarrow.csv` writes the double 1 as the integer 1.

    Raises
    ------
    DataError
        A column holds neither numbers nor strings, or a string holds a byte 0.
    """
    delimiter = _DELIMITERS[kind]
    for column in schema:
        if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type) or _is_string(column.type)):
            raise DataError.of(
                f"result.{column.name}",
                f"numbers or strings for {kind}",
                str(column.type),
                "Choose another --out, for example .parquet.",
            )
    file.write((delimiter.join(_name(name, delimiter) for name in schema.names) + "\n").encode())
    for batch in batches:
        words = [_words(column, name) for name, column in zip(schema.names, batch.columns, strict=True)]
        ended = pc.binary_join_element_wise(words[-1], string("\n"), string(""))
        rows = pc.binary_join_element_wise(*words[:-1], ended, string(delimiter))
        if len(rows):  # new, so that its bytes are these rows and nothing else
            file.write(rows.buffers()[2])


def _is_string(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _name(name: str, delimiter: str) -> str:
    plain = name and name == name.strip() and not set(name) & {delimiter, '"', "\r", "\n"} and not name.startswith("#")
    return name if plain else '"' + name.replace('"', '""') + '"'


def _words(column: pa.Array, name: str) -> pa.Array:
    """The values as they stand in a line."""
    text = pa.string()
    if _is_string(column.type):
        if pc.any(pc.match_substring(column, "\0")).as_py():
            raise DataError.of(
                f"result.{name}", "text", "a byte 0 in a string", "Choose another --out, for example .parquet."
            )
        quote = string('"')
        words = pc.binary_join_element_wise(
            quote, pc.replace_substring(column.cast(text), '"', '""'), quote, string("")
        )
    elif pa.types.is_floating(column.type):
        words = column.cast(pa.float64()).cast(text)
        words = pc.if_else(
            pc.match_substring_regex(words, "^-?[0-9]+$"),
            pc.binary_join_element_wise(words, string(".0"), string("")),
            words,
        )
    else:
        words = column.cast(text)
    return pc.fill_null(words, string("")).cast(text)
