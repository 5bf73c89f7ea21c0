# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Files as DataFrames: Parquet, CSV and whitespace edge lists, told apart by name and first lines."""

from __future__ import annotations

import csv
import gzip
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from .errors import ArgumentError, DataError

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

_LISTS = {".txt", ".e", ".edges", ".el", ".tsv", ".v", ".vertices", ".list"}
_SAMPLE_LINES = 1000
_SAMPLE_BYTES = 1 << 20
_INTEGER = re.compile(r"[+-]?\d{1,19}")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?(inf|infinity|nan)", re.IGNORECASE)
_COMMENT = ("#", "%")

Type = Literal["bigint", "double", "string"]


@dataclass(frozen=True)
class Layout:
    """What the first lines of a text file say: its columns with types, and how to split a line.

    `delimiter` "" means any run of blanks.
    """

    columns: tuple[tuple[str, Type], ...]
    delimiter: str
    header: bool


def kind_of(path: Path) -> Literal["parquet", "csv", "list"]:
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
        raise ArgumentError.of("INPUT", "a file or folder that exists", str(path), "Check the path.")
    if path.is_dir():
        return "parquet"
    suffixes = [s.lower() for s in path.suffixes]
    last = suffixes[-2] if suffixes[-1:] == [".gz"] and len(suffixes) > 1 else suffixes[-1] if suffixes else ""
    if last == ".parquet":
        return "parquet"
    if last == ".csv":
        return "csv"
    if last in _LISTS:
        return "list"
    raise ArgumentError.of(
        "INPUT",
        "a Parquet file or folder, .csv, or an edge list (.txt .e .edges .el .tsv, also .gz)",
        path.name,
        "Rename or convert it.",
    )


def read(spark: SparkSession, path: Path, names: Sequence[str], *, what: str) -> DataFrame:
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

    Returns
    -------
    DataFrame
        Ids that look like integers in the first lines are bigint, other numbers double, the rest string.

    Raises
    ------
    ArgumentError
        No such file, or none that we can read.
    DataError
        The file is empty.
    """
    kind = kind_of(path)
    place = _place(path)
    if kind == "parquet":
        try:
            return spark.read.parquet(place)
        except Exception as e:
            first = str(e).splitlines()[0].rstrip(".")
            raise DataError.of(what, "a Parquet file or folder", f"{path}: {first}", "Check the file.") from None
    layout = sniff(path, names, kind=kind, what=what)
    raw = _raw_csv(spark, place, layout) if kind == "csv" else _raw_list(spark, place, layout)
    return raw.select(*(_typed(name, kind) for name, kind in layout.columns))


def check_text(spark: SparkSession, path: Path, names: Sequence[str], nulls: dict[str, int], *, what: str) -> None:
    """Explain nulls in a text file: a word that is not of the column's type, or a line with too few words.

    Raises
    ------
    DataError
        Names the column, the first such line and what it holds.
    """
    from pyspark.sql import functions as F

    kind = kind_of(path)
    if kind == "parquet":
        return
    layout = sniff(path, names, kind=kind, what=what)
    raw = _raw_csv(spark, _place(path), layout) if kind == "csv" else _raw_list(spark, _place(path), layout)
    for name, column_type in layout.columns:
        if not nulls.get(name):
            continue
        bad = (
            raw.filter(_typed(name, column_type).isNull() & F.col(_quoted(name)).isNotNull())
            .select(_quoted(name))
            .head()
        )
        if bad is not None:
            raise DataError.of(
                f"{what}.{name}", f"{column_type} values as in the first lines of {path.name}", repr(bad[0]),
                "Give all values one form, or convert the file to Parquet.",
            )  # fmt: skip
        if kind == "list":
            width = len(layout.columns)
            raise DataError.of(
                f"{what}.{name}",
                f"{width} words on each line of {path.name}",
                f"{nulls[name]} lines with fewer",
                "Repair the file.",
            )


def sniff(path: Path, names: Sequence[str], *, kind: Literal["csv", "list"], what: str) -> Layout:
    """The layout of a text file, from its first lines.

    Raises
    ------
    DataError
        There is no line with data, or it cannot be read as text.
    """
    try:
        lines = _first_lines(path)
    except (OSError, UnicodeDecodeError, EOFError) as e:
        raise DataError.of(what, "a text file", f"{path}: {e}", "Check the file.") from None
    if not lines:
        raise DataError.of(what, "at least one row", f"none in {path}", "Give a file with data.")
    if kind == "list":
        delimiter, rows = "", [line.split() for line in lines]
        header = rows[0] == list(names)[: len(rows[0])]
    else:
        delimiter = max(",;\t|", key=lambda d: (lines[0].count(d), -",;\t|".index(d)))
        rows = [[w.strip() for w in row] for row in csv.reader(lines, delimiter=delimiter)]
        header = not any(_NUMBER.fullmatch(w) for w in rows[0])
    width = len(rows[0])
    titles = rows[0] if header else [*names, *(f"c{i + 1}" for i in range(len(names), width))][:width]
    body = rows[1:] if header else rows
    types = [_type_of([row[i] for row in body if i < len(row) and row[i] != ""]) for i in range(width)]
    return Layout(tuple(zip(titles, types, strict=True)), delimiter, header)


def _place(path: Path) -> str:
    """The path as Spark's readers want it: with a scheme, and with the signs that they would take for a pattern escaped."""
    return "file://" + re.sub(r"([\[\]{}*?\\])", r"\\\1", str(path.resolve()))


def _first_lines(path: Path) -> list[str]:
    opener = gzip.open if path.suffix.lower() == ".gz" else open
    lines: list[str] = []
    with opener(path, "rt", encoding="utf-8-sig", newline=None) as f:
        for line in f.read(_SAMPLE_BYTES).splitlines():
            if line.strip() and not line.lstrip().startswith(_COMMENT):
                lines.append(line)
            if len(lines) == _SAMPLE_LINES:
                return lines
    return lines


def _type_of(words: Sequence[str]) -> Type:
    if words and all(_INTEGER.fullmatch(w) and -(2**63) <= int(w) < 2**63 for w in words):
        return "bigint"
    return "double" if words and all(_NUMBER.fullmatch(w) for w in words) else "string"


def _typed(name: str, column_type: Type) -> Column:
    from pyspark.sql import functions as F

    column = F.col(_quoted(name))
    return column if column_type == "string" else column.try_cast(column_type).alias(name)


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _raw_csv(spark: SparkSession, place: str, layout: Layout) -> DataFrame:
    from pyspark.sql.types import StringType, StructField, StructType

    schema = StructType([StructField(name, StringType()) for name, _ in layout.columns])
    return spark.read.csv(
        place, schema=schema, header=layout.header, sep=layout.delimiter, comment="#", enforceSchema=True,
        ignoreLeadingWhiteSpace=True, ignoreTrailingWhiteSpace=True,
    )  # fmt: skip


def _raw_list(spark: SparkSession, place: str, layout: Layout) -> DataFrame:
    from pyspark.sql import functions as F

    line = F.trim(F.regexp_replace("value", "[\\s\ufeff]+", " "))
    lines = (
        spark.read.text(place).select(line.alias("line")).filter("line != '' and substr(line, 1, 1) not in ('#', '%')")
    )
    if layout.header:
        lines = lines.filter(F.col("line") != " ".join(name for name, _ in layout.columns))
    words = F.split("line", " ")
    return lines.select(*(F.get(words, F.lit(i)).alias(name) for i, (name, _) in enumerate(layout.columns)))
