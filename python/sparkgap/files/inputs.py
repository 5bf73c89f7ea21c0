# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Files as DataFrames, by the one rule of docs/files.md: the name says the format, and what can be read in two ways is
refused.

Spark reads Parquet itself. Text and Arrow files are read by pyarrow, block by block, twice: once to see the type of
each column by all of its values, once to write them as Parquet into a private folder, which Spark then reads.
"""

from __future__ import annotations

import atexit
import contextlib
import re
import tempfile
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq

from ..errors import ArgumentError, DataError
from ..scratch import scratch
from .text_columns import TYPES, Column, convert
from .text_layout import Layout, layout
from .text_options import COMPRESSIONS, LISTS, NAMES, TextOptions

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Kind = Literal["parquet", "arrow", "csv", "tsv", "list"]
_KINDS: dict[str, Kind] = {
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".csv": "csv",
    ".tsv": "tsv",
    **dict.fromkeys(LISTS, "list"),
}
_DELIMITERS = {"csv": ",", "tsv": "\t", "list": ""}
_ROW_GROUP = 1 << 18  # rows: small enough for Spark to share a file among its cores


def kind_of(path: Path) -> Kind:
    """How to read `path`, by its name.

    Raises
    ------
    ArgumentError
        The file does not exist, or its name says nothing we know.

    Examples
    --------
    >>> import tempfile; folder = Path(tempfile.mkdtemp()); kind_of(folder)
    'parquet'
    """
    if not path.exists():
        if re.match(r"[A-Za-z][\w+.-]+:/", str(path)):
            raise ArgumentError.of(
                "INPUT", "a file of this machine", str(path), "Copy it here, or read it in Python by spark.read."
            )
        raise ArgumentError.of("INPUT", "a file or folder that exists", str(path), "Check the path.")
    if path.is_dir():
        return "parquet"
    suffixes = [s.lower() for s in path.suffixes]
    packed = suffixes[-1:] != [] and suffixes[-1] in COMPRESSIONS
    kind = _KINDS.get(suffixes[-2] if packed and len(suffixes) > 1 else suffixes[-1] if suffixes else "")
    if kind is None or (packed and kind not in _DELIMITERS):
        raise ArgumentError.of(
            "INPUT",
            f"a Parquet file or folder, or another name that says its format: {NAMES}",
            path.name,
            "Rename or convert it.",
        )
    if not path.is_file():
        raise ArgumentError.of(
            "INPUT", "a file that can be read twice", f"{path}, which is no plain file", "Write it to a file first."
        )
    return kind


def is_text(path: Path) -> bool:
    """Whether `path` is a file of text, to which what the user says of text applies."""
    return kind_of(path) in _DELIMITERS


def read(
    spark: SparkSession,
    path: Path,
    names: Sequence[str],
    *,
    what: str,
    needed: Sequence[str] | None = None,
    how: TextOptions | None = None,
    folder: Path | None = None,
) -> DataFrame:
    """The table in `path`, not yet cached.

    Parameters
    ----------
    spark : SparkSession
    path : Path
        A file or a Parquet folder.
    names : sequence of str
        The columns of a file without a header, in order; more columns are called c3, c4, ...
    what : str
        The input's name in messages.
    needed : sequence of str, optional
        Those of `names` that the file must have; all by default.
    how : TextOptions, optional
        Header, delimiter and types of columns, where the user says them.
    folder : Path, optional
        Where the rows lie while Spark uses them; by default a private folder that ends with this process.

    Returns
    -------
    DataFrame
        Of a text file, columns are bigint, double or string.

    Raises
    ------
    ArgumentError
        No such file, or none that we can read; a file that has two readings, with what to add.
    DataError
        The file is empty, or a line of it is not as the others; with the line.
    """
    kind = kind_of(path)
    if kind == "parquet":
        try:
            return spark.read.parquet(_place(path))
        except Exception as e:
            first = str(e).splitlines()[0].rstrip(".")
            raise DataError.of(what, "a Parquet file or folder", f"{path}: {first}", "Check the file.") from None
    if kind == "arrow":
        schema, batches = _arrow(path, what)
    else:
        schema, batches = text(path, names, needed=needed, how=how, what=what)
    file = Path(tempfile.mkdtemp(dir=folder or _folder())) / "rows.parquet"
    with pq.ParquetWriter(file, schema, compression="snappy", use_dictionary=False, write_statistics=False) as writer:
        for batch in batches:
            writer.write(batch, row_group_size=_ROW_GROUP)
    if _is_here(spark):
        return spark.read.parquet(_place(file))
    return spark.createDataFrame(pq.read_table(file))  # executors on other hosts do not see our files


def text(
    path: Path,
    names: Sequence[str],
    *,
    needed: Sequence[str] | None = None,
    how: TextOptions | None = None,
    what: str = "file",
) -> tuple[pa.Schema, Iterator[pa.Table]]:
    """The schema and the rows of a text file, a few MiB at a time; the errors are those of `read`."""
    how = how or TextOptions()
    found = layout(
        path, names, list(names if needed is None else needed), how, delimiter=_DELIMITERS[kind_of(path)], what=what
    )
    columns = [Column(name) for name in found.columns]
    rows = 0
    for block in found.blocks():
        table = found.records.parse(block, found.columns)
        rows += table.num_rows
        for column in columns:
            if column.name not in how.types:
                column.look(table[column.name], block, quotes=b'"' in block.raw)
    if rows == 0:
        raise DataError.of(what, "at least one row", f"none in {path}", "Give a file with data.")
    types = {c.name: how.types.get(c.name) or c.type(found.records) for c in columns}
    return pa.schema([(name, TYPES[to]) for name, to in types.items()]), _converted(found, types, set(how.types))


def _converted(found: Layout, types: dict[str, str], asked: set[str]) -> Iterator[pa.Table]:
    for block in found.blocks():
        table = found.records.parse(block, found.columns)
        yield pa.table(
            {
                name: convert(table[name], to, name, block, found.records, asked=name in asked)
                for name, to in types.items()
            }
        )


def _arrow(path: Path, what: str) -> tuple[pa.Schema, Iterator[pa.Table]]:
    """The schema and the batches of an Arrow file; what stands in dictionaries is written out."""
    try:
        source = pa.memory_map(str(path))
        file = pa.ipc.open_file(source)
    except (OSError, pa.ArrowException) as e:
        raise DataError.of(
            what, "an Arrow file", f"{path}: {str(e).splitlines()[0].rstrip('.')}", "Check the file."
        ) from None
    if not any(file.get_batch(i).num_rows for i in range(file.num_record_batches)):
        raise DataError.of(what, "at least one row", f"none in {path}", "Give a file with data.")
    schema = pa.schema([(f.name, f.type.value_type if pa.types.is_dictionary(f.type) else f.type) for f in file.schema])
    return schema, (
        pa.table(file.get_batch(i).columns, schema=file.schema).cast(schema) for i in range(file.num_record_batches)
    )


def _place(path: Path) -> str:
    """The path as Spark's readers want it: with a scheme, and with the signs that they would take for a pattern
    escaped.
    """
    return "file://" + re.sub(r"([\[\]{}*?\\])", r"\\\1", str(path.resolve()))


def _is_here(spark: SparkSession) -> bool:
    """Whether all of this Spark is on this host, under our temporary folder."""
    if ".connect." in type(spark).__module__:
        return False
    master = str(spark.conf.get("spark.master"))
    return master == "local" or master.startswith("local[")


@cache
def _folder() -> Path:
    until_the_end = contextlib.ExitStack()
    atexit.register(until_the_end.close)
    return until_the_end.enter_context(scratch())
