# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Rows of this process as a published table, which Spark applications of this host read in place."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import DataError
from ..store_files.details import crc32c, ddl, is_kept
from ..store_files.publication import Part
from ..store_files.publication import publish as publish_files
from . import rows as given_rows
from . import segments
from .home import home
from .stored_table import StoredTable, present, table

if TYPE_CHECKING:
    import pyarrow as pa


def publish(rows: Any, name: str, *, store: str | Path | None = None) -> StoredTable:
    """Give rows a name under which every Spark application of this user on this host reads them in place, also when
    this process has ended: `spark.table("sparkgap.published.<name>")`.

    Parameters
    ----------
    rows : rows
        As for the kernels: a table of Arrow, pandas, polars, a dict of columns, a path.
    name : str
        Letters, digits, `_` and `-`. Publishing again under a name makes the next edition; readers see the old one or
        the new one.
    store : path, optional
        The store's folder; by default that of Spark's setting.

    Returns
    -------
    StoredTable
        The rows where they lie now.

    Raises
    ------
    ArgumentError
        A name that cannot be one.
    DataError
        Rows that Arrow cannot hold, or a column of a type that the store does not keep.
    ResourceError
        No room.

    Notes
    -----
    Cost: the rows are written once into the store's memory, and read once for their checksum.

    Examples
    --------
    >>> publish({"id": [1, 2], "score": [0.5, 1.5]}, "scores").rows.num_rows  # doctest: +SKIP
    2
    """
    place = home(None if store is None else Path(store))
    kept = as_stored("rows", given_rows.table("rows", rows))
    folder = place.path / "segments" / f"publish_{place.number()}"
    try:
        parts = [Part(f.path, f.rows, f.bytes, crc32c(f.path)) for f in segments.written(kept, folder).files]
        columns = [(field.name, ddl(field.type), field.nullable) for field in kept.schema]
        publish_files(name, columns, parts, present(store), place.path.name.partition(".")[0])
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return table(f"published.{name}", store=store)


def as_stored(name: str, rows: pa.Table) -> pa.Table:
    """The rows in types of store/FORMAT.md. Errors: DataError."""
    import pyarrow as pa

    found, seen = {}, set()
    for field in rows.schema:
        if field.name.lower() in seen:
            do = "Do rename all but one."
            raise DataError.of(f"{name}.{field.name}", "one column of this name, whatever its case", "several", do)
        seen.add(field.name.lower())
        where = f"{name}.{field.name}"
        column = given_rows.plain(where, rows.column(field.name))
        found[field.name] = column.cast(_stored(where, column.type))
    return pa.table(found)


def _stored(where: str, kind: pa.DataType) -> pa.DataType:
    """The type of the store that holds the same values."""
    import pyarrow as pa

    if pa.types.is_list(kind):
        return pa.list_(pa.field("element", _stored(where, kind.value_type), kind.value_field.nullable))
    if pa.types.is_struct(kind) and kind.num_fields:
        return pa.struct([pa.field(f.name, _stored(where, f.type), f.nullable) for f in kind])
    if pa.types.is_timestamp(kind):
        return pa.timestamp("us", None if kind.tz is None else "UTC")
    if pa.types.is_null(kind):
        raise DataError.of(where, "a column of one type", "nothing but nulls", "Do cast it, or leave it out.")
    if not is_kept(kind):
        do = "Do cast it, or leave it out."
        raise DataError.of(where, "a type that the store keeps", str(kind), do)
    return kind
