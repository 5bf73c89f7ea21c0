# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Arrow and Parquet files as Arrow tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.ipc

from ..errors import DataError

_FILE = b"ARROW1"


def mapped(path: Path, what: str) -> pa.Table:
    """An Arrow file or stream; what is not compressed is mapped, and dictionaries stay.

    Raises
    ------
    DataError
        It is none, or has no row.
    """
    try:
        with path.open("rb") as file:
            opened = pa.ipc.open_file if file.read(len(_FILE)) == _FILE else pa.ipc.open_stream
        rows = opened(pa.memory_map(str(path))).read_all()
    except (OSError, pa.ArrowException) as e:
        raise _unreadable(what, "an Arrow file", path, e) from None
    return _some(rows, what, path)


def arrow(path: Path, what: str) -> tuple[pa.Schema, Iterator[pa.Table]]:
    """The schema and the batches of an Arrow file; what stands in dictionaries is written out. Errors as `mapped`."""
    rows = mapped(path, what)
    schema = pa.schema([(f.name, f.type.value_type if pa.types.is_dictionary(f.type) else f.type) for f in rows.schema])
    return schema, (pa.table(batch.columns, schema=rows.schema).cast(schema) for batch in rows.to_batches())


def parquet(path: Path, what: str, columns: Sequence[str] | None = None) -> pa.Table:
    """A Parquet file, or all of a folder; of those columns, where it has them.

    Raises
    ------
    DataError
        It is none, or has no row.
    """
    import pyarrow.dataset as ds

    try:
        files = ds.dataset(str(path), format="parquet")
        chosen = None if columns is None else [n for n in files.schema.names if n in columns]
        rows = files.to_table(columns=chosen)
    except (OSError, ValueError, pa.ArrowException) as e:
        raise _unreadable(what, "a Parquet file or folder", path, e) from None
    return _some(rows, what, path)


def _unreadable(what: str, expected: str, path: Path, error: Exception) -> DataError:
    said = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
    return DataError.of(what, expected, f"{path}: {said}", "Check the file.")


def _some(rows: pa.Table, what: str, path: Path) -> pa.Table:
    if rows.num_rows == 0:
        raise DataError.of(what, "at least one row", f"none in {path}", "Give a file with data.")
    return rows
