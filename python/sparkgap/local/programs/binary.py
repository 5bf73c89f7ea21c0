# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Numbers in binary: little-endian values and nothing else (raw), and NumPy's arrays (npy)."""

from __future__ import annotations

from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.lib import format as npy

from ...errors import DataError
from ...store_files.details import ddl
from .formats import DTYPES, Format
from .output_file import OutputFile, count

_MOST_HEADER = 1 << 20
_MOST = 2**63 - 1


def require_values(where: str, table: pa.Table) -> None:
    """Refuse nulls, for which these formats have no word. Errors: DataError with the row."""
    for name, column in zip(table.column_names, table.columns, strict=True):
        if column.null_count:
            row = pc.index(column.is_null(), True).as_py()
            do = "Fill or drop nulls, or choose csv."
            raise DataError.of(f"{where}.{name}, row {row + 1}", "a value", "a null", do)


def write(where: str, table: pa.Table, form: Format, file: IO[bytes]) -> None:
    """The values by columns or by rows. Errors: DataError for a null."""
    require_values(where, table)
    by_columns = form.word in ("raw", "npy+columns")
    if form.kind == "npy":
        shape = (table.num_rows,) if table.num_columns == 1 else (table.num_rows, table.num_columns)
        head = {"descr": _dtypes(table.schema)[0].str, "fortran_order": by_columns and len(shape) > 1, "shape": shape}
        npy.write_array_header_1_0(file, head)
    columns = [column.to_numpy() for column in table.columns]
    if by_columns or len(columns) == 1:
        for column in columns:
            file.write(np.ascontiguousarray(column).view(np.uint8).data if len(column) else b"")
        return
    rows = np.empty(table.num_rows, _row_type(table.schema))
    for c, column in enumerate(columns):
        rows[f"f{c}"] = column
    file.write(rows.view(np.uint8).data if len(rows) else b"")


def read_raw(file: OutputFile, form: Format, schema: pa.Schema) -> pa.Table:
    """The rows of a file. Errors: DataError."""
    size, row = file.path.stat().st_size, _row_type(schema).itemsize
    if size % row:
        expected = f"a multiple of {row} bytes, those of a row of {count(len(schema))}"
        raise file.refused("", expected, f"{size} bytes")
    return _table(file, schema, 0, size // row, by_columns=form.option != "rows")


def read_npy(file: OutputFile, schema: pa.Schema) -> pa.Table:
    """The rows of an array, in the order that its head says. Errors: DataError."""
    dtype, first = _dtypes(schema)[0], schema.field(0)
    expected = f"a .npy file of one or two dimensions and dtype {dtype.str}"
    with open(file.path, "rb") as stream:
        try:
            shape, by_columns, found = _head(stream)
        except ValueError as e:
            raise file.refused("", expected, str(e)) from None
        begin = stream.tell()
    if found.str not in DTYPES.values():
        raise file.refused("", expected, f"dtype '{found.str}'")
    if len(shape) not in (1, 2) or any(n > _MOST for n in shape):
        raise file.refused("", expected, f"an array of shape {shape}")
    if found != dtype:
        raise file.refused("", f"dtype {dtype.str}, for {ddl(first.type)} for {first.name}", f"dtype {found.str}")
    width = 1 if len(shape) == 1 else shape[1]
    if width != len(schema):
        raise file.refused("", count(len(schema)), count(width))
    needed, there = shape[0] * width * dtype.itemsize, file.path.stat().st_size - begin
    if needed > there:
        raise file.refused("", f"{needed} bytes of values, as its head says", f"{there} bytes")
    return _table(file, schema, begin, shape[0], by_columns=by_columns or width == 1)


def _head(stream: IO[bytes]) -> tuple[tuple[int, ...], bool, Any]:
    """Shape, order and type. Errors: ValueError with what was found."""
    magic = stream.read(8)
    if magic[:6] != b"\x93NUMPY":
        raise ValueError("a file that does not begin as .npy files do")
    if magic[6:7] not in (b"\1", b"\2", b"\3"):
        raise ValueError(f"a .npy file of version {magic[6] if len(magic) > 6 else 'none'}")
    stream.seek(0)
    version = npy.read_magic(stream)
    try:
        read = npy.read_array_header_1_0 if version[0] == 1 else npy.read_array_header_2_0
        return read(stream, max_header_size=_MOST_HEADER)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        raise ValueError("a head that is none of NumPy's") from None


def _dtypes(schema: pa.Schema) -> list[Any]:
    return [np.dtype(DTYPES[ddl(field.type)]) for field in schema]


def _row_type(schema: pa.Schema) -> Any:
    return np.dtype([(f"f{c}", dtype) for c, dtype in enumerate(_dtypes(schema))])


def _table(file: OutputFile, schema: pa.Schema, begin: int, rows: int, *, by_columns: bool) -> pa.Table:
    """Mapped where the values of a column lie together, so that they are not copied."""
    if rows == 0:
        return schema.empty_table()
    columns: list[Any] = []
    if by_columns:
        at = begin
        for dtype in _dtypes(schema):
            columns.append(np.memmap(file.path, dtype, "r", at, rows))
            at += rows * dtype.itemsize
    else:
        whole = np.memmap(file.path, _row_type(schema), "r", begin, rows)
        columns = [whole[f"f{c}"] for c in range(len(schema))]
    arrays = [pa.array(_plain(column), field.type) for column, field in zip(columns, schema, strict=True)]
    return pa.table(arrays, schema=schema)


def _plain(column: Any) -> Any:
    """The same values where Arrow can take them: together and at multiples of their size; any byte but 0 is true."""
    if column.dtype == bool:
        return np.ascontiguousarray(column).view(np.uint8) != 0
    return np.require(column, requirements=["A", "C"])
