# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""DataFrames as files, by the name that is asked for: `.parquet`, `.csv`, `.tsv`, `.arrow`, or a folder of Parquet.
docs/files.md has the rules.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.ipc
import pyarrow.parquet as pq

from ..errors import ArgumentError, DataError, InternalError, ResourceError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

FILES = (".parquet", ".csv", ".tsv", ".arrow")
_DELIMITERS = {".csv": ",", ".tsv": "\t"}


def kind_of(path: str | Path) -> str:
    """What a name asks for: one of `FILES`, or "" for a folder of Parquet, whose name has no suffix or ends with /.

    Raises
    ------
    ArgumentError
        It says neither.

    Examples
    --------
    >>> kind_of("ranks.csv"), kind_of("ranks"), kind_of("ranks.2026/")
    ('.csv', '', '')
    """
    suffix = Path(path).suffix.lower()
    if str(path).endswith("/") or not suffix:
        return ""
    if suffix in FILES:
        return suffix
    raise ArgumentError.of(
        "--out",
        f"a name that ends with {', '.join(FILES)}, or a folder, without a suffix or with / at its end",
        str(path),
        "Choose another name.",
    )


def check(path: str | Path, *, overwrite: bool) -> None:
    """Refuse a place that cannot be written, before any work is spent.

    Raises
    ------
    ArgumentError
        It exists and `overwrite` is false, or the folder above it does not exist.
    ResourceError
        The folder above it cannot be written.
    """
    path = Path(path)
    if path.exists() and not overwrite:
        raise ArgumentError.of(
            "--out", "a path that does not exist yet", str(path), "Choose another or add --overwrite."
        )
    above = path.absolute().parent
    if not above.is_dir():
        raise ArgumentError.of("--out", "a path in a folder that exists", str(path), f"Run: mkdir -p {above}")
    if not os.access(above, os.W_OK | os.X_OK):
        raise ResourceError.of("--out", "a folder that you may write", str(above), "Choose another path.")


def check_model(path: str | Path, *, overwrite: bool) -> None:
    """The same for a model, which is a folder.

    Raises
    ------
    ArgumentError
        The name is that of a file, too.
    """
    if not str(path).endswith("/") and Path(path).suffix.lower() in FILES:
        raise ArgumentError.of("--out", "the name of a folder, which a model is", str(path), "Leave its suffix out.")
    check(path, overwrite=overwrite)


def save(frame: DataFrame, path: str | Path, *, overwrite: bool) -> None:
    """Write `frame` to `path`: aside first, then renamed, so that a file of that name is whole.

    Raises
    ------
    DataError
        A column has a type that the format has no place for.
    ResourceError
        The disk is full.
    """
    kind = kind_of(path)
    with put_aside(path, overwrite=overwrite, one_file=kind != "") as aside:
        (frame.coalesce(1) if kind == ".parquet" else frame).write.parquet(f"file://{aside}")
        if kind in ("", ".parquet"):
            return
        parts = sorted(p for p in aside.iterdir() if p.suffix == ".parquet")
        schema = pq.read_schema(parts[0])
        batches = (batch for part in parts for batch in pq.ParquetFile(part).iter_batches())
        whole = aside / f"part-whole{kind}"
        if kind == ".arrow":
            with pa.ipc.new_file(str(whole), schema) as writer:
                for batch in batches:
                    writer.write_batch(batch)
        else:
            write_text(batches, schema, whole, _DELIMITERS[kind])
        for part in parts:
            part.unlink()


def write_text(batches: Iterator[pa.RecordBatch], schema: pa.Schema, path: Path, delimiter: str) -> None:
    """Rows as CSV that reads back as the same table: strings in quotes, doubles with a point or an exponent, nothing
    for null.

    `pyarrow.csv` writes the double 1 as the integer 1.

    Raises
    ------
    DataError
        A column holds neither numbers nor strings, or a string holds a byte 0.
    """
    for column in schema:
        if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type) or _is_string(column.type)):
            raise DataError.of(
                f"result.{column.name}",
                f"numbers or strings for {path.suffix}",
                str(column.type),
                "Choose another --out, for example .parquet.",
            )
    with path.open("wb") as file:
        file.write((delimiter.join(_name(name, delimiter) for name in schema.names) + "\n").encode())
        for batch in batches:
            words = [_words(column, name) for name, column in zip(schema.names, batch.columns, strict=True)]
            rows = pc.binary_join_element_wise(*words[:-1], pc.binary_join_element_wise(words[-1], "\n", ""), delimiter)
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
        words = pc.binary_join_element_wise('"', pc.replace_substring(column.cast(text), '"', '""'), '"', "")
    elif pa.types.is_floating(column.type):
        words = column.cast(pa.float64()).cast(text)
        words = pc.if_else(
            pc.match_substring_regex(words, "^-?[0-9]+$"), pc.binary_join_element_wise(words, ".0", ""), words
        )
    else:
        words = column.cast(text)
    return pc.fill_null(words, "").cast(text)


@contextlib.contextmanager
def put_aside(path: str | Path, *, overwrite: bool, one_file: bool = False) -> Iterator[Path]:
    """A folder for the body to write, which becomes `path` when it has ended; of `one_file`, the part file in it.

    Raises
    ------
    ResourceError
        The disk is full.
    """
    path = Path(path).absolute()
    check(path, overwrite=overwrite)
    aside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield aside
        _replace(_part(aside) if one_file else aside, path)
    except Exception as e:
        if "No space left on device" in str(e) or getattr(e, "errno", None) == errno.ENOSPC:
            raise ResourceError.of(
                "--out", "room for the result", f"a full disk at {path.parent}", "Free some or choose another path."
            ) from None
        raise
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _part(folder: Path) -> Path:
    parts = [p for p in folder.iterdir() if p.name.startswith("part-")]
    if len(parts) != 1:
        raise InternalError.of("--out", "one part file", str(len(parts)), "Please report this.")
    return parts[0]


def _replace(new: Path, path: Path) -> None:
    """Rename over what is there; a folder has to go aside first."""
    old = path.with_name(f".{path.name}.{os.getpid()}.old")
    if path.exists():
        path.rename(old)
    try:
        new.rename(path)
    except OSError:
        with contextlib.suppress(OSError):
            old.rename(path)
        raise
    if old.is_dir() and not old.is_symlink():
        shutil.rmtree(old, ignore_errors=True)
    else:
        old.unlink(missing_ok=True)
