# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Files as Spark's DataFrames. Spark reads Parquet itself; all else goes through a private folder as Parquet."""

from __future__ import annotations

import atexit
import contextlib
import re
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq

from ..errors import DataError
from ..scratch import scratch
from .arrow import arrow
from .formats import check_url, kind_of
from .text import text
from .text_options import TextOptions

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_ROW_GROUP = 1 << 18  # rows: small enough for Spark to share a file among its cores


def read(
    spark: SparkSession,
    path: Path | str,
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
    path : Path or str
        A file or a Parquet folder; a str is a URL of Parquet in a file system of Hadoop's.
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
    if isinstance(path, str):
        check_url(path)
        return _parquet(spark, path, what)
    kind = kind_of(path)
    if kind == "parquet":
        return _parquet(spark, _place(path), what)
    schema, batches = arrow(path, what) if kind == "arrow" else text(path, names, needed=needed, how=how, what=what)
    file = Path(tempfile.mkdtemp(dir=folder or _folder())) / "rows.parquet"
    with pq.ParquetWriter(file, schema, compression="snappy", use_dictionary=False, write_statistics=False) as writer:
        for batch in batches:
            writer.write(batch, row_group_size=_ROW_GROUP)
    if _is_here(spark):
        return spark.read.parquet(_place(file))
    return spark.createDataFrame(pq.read_table(file))  # executors on other hosts do not see our files


def _parquet(spark: SparkSession, place: str, what: str) -> DataFrame:
    try:
        return spark.read.parquet(place)
    except Exception as e:
        first = str(e).splitlines()[0].rstrip(".")
        raise DataError.of(what, "a Parquet file or folder", f"{place}: {first}", "Check the file.") from None


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
