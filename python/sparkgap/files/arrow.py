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


def parquet(path: Path, what: str, needed: Sequence[str] = ()) -> pa.Table:
    """A Parquet file, or all of a folder; where it has all that are needed, whatever their case, those columns alone.

    Raises
    ------
    DataError
        It is none, or has no row.
    """
    try:
        return _some(_parquet(path, {name.lower() for name in needed}), what, path)
    except (OSError, ValueError, pa.ArrowException) as e:
        raise _unreadable(what, "a Parquet file or folder", path, e) from None


def _parquet(path: Path, needed: set[str]) -> pa.Table:
    if path.is_dir():
        import pyarrow.dataset as ds

        files = ds.dataset(str(path), format="parquet")
        return files.to_table(columns=_chosen(files.schema.names, needed))
    import pyarrow.parquet as pq

    with pq.ParquetFile(path, memory_map=True) as file:
        return file.read(columns=_chosen(file.schema_arrow.names, needed))


def _chosen(names: Sequence[str], needed: set[str]) -> list[str] | None:
    chosen = [name for name in names if name.lower() in needed]
    return chosen if needed and {name.lower() for name in chosen} == needed else None


def _unreadable(what: str, expected: str, path: Path, error: Exception) -> DataError:
    said = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
    return DataError.of(what, expected, f"{path}: {said}", "Check the file.")


def _some(rows: pa.Table, what: str, path: Path) -> pa.Table:
    if rows.num_rows == 0:
        raise DataError.of(what, "at least one row", f"none in {path}", "Give a file with data.")
    return rows
