# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Rows as Arrow files that ranks map (store/FORMAT.md): written into the home, or read where they lie."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import DataError, ResourceError
from ..store_files.details import ddl
from .stored_table import StoredTable

if TYPE_CHECKING:
    import pyarrow as pa

_BATCH_ROWS = 1 << 20
_SEGMENT_BYTES = 1 << 29


@dataclass(frozen=True)
class Segment:
    """One file."""

    path: Path
    rows: int
    bytes: int


@dataclass(frozen=True)
class Segments:
    """The files of an input in the order of its rows; `copied` counts the bytes that were written for it."""

    files: Sequence[Segment]
    copied: int

    @property
    def rows(self) -> int:
        return sum(file.rows for file in self.files)

    def as_json(self, host: str) -> dict[str, Any]:
        """As job.json has it."""
        found = [{"host": host, "path": str(f.path), "rows": f.rows, "bytes": f.bytes} for f in self.files]
        return {"rows": self.rows, "segments": found}


def written(rows: pa.Table, folder: Path) -> Segments:
    """The rows in files of a new folder.

    Raises
    ------
    ResourceError
        There is no room.
    """
    import pyarrow as pa

    folder.mkdir(mode=0o700)
    files, options = [], pa.ipc.IpcWriteOptions(compression=None)
    per_file = max(1, min(rows.num_rows, _SEGMENT_BYTES * rows.num_rows // max(1, rows.nbytes)))
    for n, first in enumerate(range(0, max(1, rows.num_rows), per_file)):
        path, part = folder / f"part-00000-{n}.arrow", rows.slice(first, per_file)
        try:
            with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, rows.schema, options=options) as out:
                out.write_table(part, max_chunksize=_BATCH_ROWS)
                if part.num_rows == 0:  # a segment has at least one batch
                    out.write_batch(pa.RecordBatch.from_pylist([], schema=rows.schema))
        except OSError as e:
            found, do = e.strerror or str(e), "Do free some, or choose another store."
            raise ResourceError.of(f"store {folder.parent}", "room for the rows", found, do) from None
        files.append(Segment(path, part.num_rows, path.stat().st_size))
    return Segments(files, sum(file.bytes for file in files))


def mappable(given: Any, table: pa.Table, folder: Path) -> Segments:
    """The files that were given as a path or a stored table, where ranks can map them, else a copy of `table` in that
    folder. Errors: ResourceError.
    """
    found = None
    if isinstance(given, (str, os.PathLike)):
        found = in_place([Path(given)], table)
    elif isinstance(given, StoredTable):
        found = in_place(given.paths, table)
    return found or written(table, folder)


def in_place(paths: Sequence[Path], taken: pa.Table) -> Segments | None:
    """The files themselves, where they are Arrow files whose rows are used as they lie there; None where one is not, or
    where `taken`, the columns that a kernel reads, has another type than the files.
    """
    files = [_in_place(path, taken) for path in paths]
    found = [file for file in files if file is not None]
    return Segments(found, 0) if len(found) == len(files) else None


def _in_place(path: Path, taken: pa.Table) -> Segment | None:
    import pyarrow as pa

    if not path.is_file():  # a folder, or a table that is gone, of which the mapped rows are left
        return None
    with open(path, "rb") as file:
        if file.read(6) != b"ARROW1":
            return None
    whole = pa.memory_map(str(path)).read_buffer()
    rows = pa.ipc.open_file(whole).read_all()
    if any(rows.schema.field(name).type != taken.schema.field(name).type for name in taken.column_names):
        return None
    first, last = whole.address, whole.address + whole.size
    buffers = [b for column in rows.columns for chunk in column.chunks for b in chunk.buffers() if b and b.size]
    if rows.num_rows == 0 or not all(first <= b.address and b.address + b.size <= last for b in buffers):
        return None
    return Segment(path.resolve(), rows.num_rows, whole.size)


def mapped(reports: Sequence[dict[str, Any]]) -> pa.Table:
    """The rows that ranks wrote, in the order of the ranks; the files may go."""
    import pyarrow as pa

    paths = [segment["path"] for report in reports for segment in report["segments"]]
    return pa.concat_tables(pa.ipc.open_file(pa.memory_map(path)).read_all() for path in paths)


def adopted(path: Path, columns: pa.Schema, refused: Callable[[str, str, str], DataError]) -> pa.Table:
    """The rows of a file that a program wrote, mapped; it may go.

    Parameters
    ----------
    columns : pyarrow.Schema
        What was declared; a column without nulls has none.
    refused : callable
        The error for a place in the file, what is expected there and what was found.

    Raises
    ------
    DataError
        It is no Arrow file, has other columns, or nulls where there may be none.
    """
    import pyarrow as pa

    try:
        rows = pa.ipc.open_file(pa.memory_map(str(path))).read_all()
        rows.validate(full=True)
    except (OSError, pa.ArrowException) as e:
        found = (str(e).splitlines() or [type(e).__name__])[0]
        raise refused("", "an Arrow file", found) from None
    declared, there = ([f"{f.name} {_plain_ddl(f.type)}" for f in schema] for schema in (columns, rows.schema))
    if declared != there:
        raise refused("", ", ".join(declared), ", ".join(there))
    for field, column in zip(columns, rows.columns, strict=True):
        for i, chunk in enumerate(column.chunks):
            found_nulls = _unwanted(field, chunk, field.name)
            if found_nulls is not None:
                raise refused("", f"no nulls in {found_nulls[0]}", f"{found_nulls[1]} in batch {i}")
    return pa.table(rows.columns, names=columns.names) if _same(columns, rows.schema) else rows.cast(columns)


def _plain_ddl(kind: Any) -> str:
    """The type without what it says of nulls."""
    return ddl(kind).replace(" not null", "")


def _same(declared: pa.Schema, found: pa.Schema) -> bool:
    return all(a.type == b.type for a, b in zip(declared, found, strict=True))


def _unwanted(field: pa.Field, values: pa.Array, name: str) -> tuple[str, int] | None:
    """The first field, at any depth, that has nulls although it is declared without, and their number; what is below a
    null does not count.
    """
    import pyarrow as pa

    if not field.nullable and values.null_count:
        return name, values.null_count
    kept = values.drop_null()
    if pa.types.is_struct(field.type):
        parts = [(part, kept.field(i), f"{name}.{part.name}") for i, part in enumerate(field.type)]
    elif pa.types.is_list(field.type):
        parts = [(field.type.value_field, kept.flatten(), f"{name}.element")]
    else:
        return None
    return next((found for found in (_unwanted(*part) for part in parts) if found is not None), None)
