# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What was given as rows, as a pyarrow table of the columns that a kernel reads, in types that it takes."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import spec as specs
from ..errors import ArgumentError, DataError
from .stored_table import StoredTable

if TYPE_CHECKING:
    import pyarrow as pa

_TAKES = "rows (pyarrow, pandas, polars, anything with __arrow_c_stream__), a dict of columns or a path"
_NAMES = 20
_OPTION = re.compile(r"\b(header|delimiter|types) => ")


def table(where: str, given: Any, names: Sequence[str] = (), needed: Sequence[str] | None = None) -> pa.Table:
    """The rows as a table; what Arrow holds already is not copied.

    Parameters
    ----------
    where : str
        The name of the parameter, for errors.
    given : object with __arrow_c_stream__, mapping of str to array, or path
        A path is that of a file that docs/files.md describes.
    names, needed
        The columns of a file without a header, and those of them that it must have.

    Raises
    ------
    ArgumentError
        It is none of these, there is no such file, or its name does not say how to read it.
    DataError
        It cannot be read as a table.
    """
    import pyarrow as pa

    try:
        if isinstance(given, (str, os.PathLike)):
            return _read(where, Path(given), names, needed)
        if isinstance(given, StoredTable):
            return given.rows
        if isinstance(given, pa.Table):
            return given
        if hasattr(given, "__arrow_c_stream__"):
            return pa.RecordBatchReader.from_stream(given).read_all()
        if isinstance(given, Mapping):
            return pa.table({str(name): column for name, column in given.items()})
    except (pa.ArrowException, OverflowError, TypeError, ValueError) as e:  # also of the library that has the rows
        found = (str(e).splitlines() or [type(e).__name__])[0]
        raise DataError.of(where, "rows that Arrow can hold", found, "Give each column one type.") from None
    raise ArgumentError.of(where, _TAKES, type(given).__name__, "Give one of these.")


def columns(rows: pa.Table, spec: specs.Spec, name: str, values: dict[str, Any]) -> pa.Table:
    """The columns of an input that the kernel reads; `values` gets each column's name as the table has it.

    Raises
    ------
    DataError
        A column is missing, there are two of the name, or the kernel does not take its type.
    """
    chosen: dict[str, pa.ChunkedArray] = {}

    def take(column: str, accepts: str, parameter: str | None) -> str:
        field = _pick(rows, f"{name}.{column}", column, parameter)
        if field not in chosen:
            chosen[field] = _taken(f"{name}.{field}", rows.column(field), accepts, parameter)
        return field

    for declared in spec.inputs:
        if declared.name == name:
            for column, accepts in declared.columns:
                take(column, accepts, None)
    for p in spec.parameters:
        if p.of == name and values.get(p.name) is not None:
            given = values[p.name]
            several = [take(column, p.accepts, p.name) for column in ([given] if isinstance(given, str) else given)]
            values[p.name] = several if p.kind == "columns" else several[0]
    import pyarrow as pa

    return pa.table(chosen)


def one_kind(tables: Mapping[str, pa.Table], spec: specs.Spec, values: Mapping[str, Any]) -> None:
    """All ids are integers, or all are strings. Errors: DataError."""
    import pyarrow as pa

    ids = [
        (f"{name}.{column}", rows.column(column).type)
        for name, rows in tables.items()
        for column in _id_columns(spec, name, values)
    ]
    for where, kind in ids:
        if pa.types.is_integer(kind) != pa.types.is_integer(ids[0][1]):
            like = f"ids of one kind: {ids[0][0]} is {ids[0][1]}"
            raise DataError.of(where, like, str(kind), "Do cast one of them.")


def _id_columns(spec: specs.Spec, name: str, values: Mapping[str, Any]) -> list[str]:
    fixed = [column for i in spec.inputs if i.name == name for column, accepts in i.columns if accepts == "id"]
    return fixed + [values[p.name] for p in spec.parameters if p.of == name and p.accepts == "id" and values[p.name]]


def _pick(rows: pa.Table, where: str, column: str, parameter: str | None) -> str:
    """The name as the table has it: as Spark does, whatever its case where that says one column."""
    same = [n for n in rows.column_names if n == column]
    same = same or [n for n in rows.column_names if n.lower() == column.lower()]
    if not same:
        found = f"columns {', '.join(rows.column_names[:_NAMES])}" if rows.column_names else "no columns"
        do = f"Do pass {parameter} => 'name'." if parameter else "Do rename it."
        raise DataError.of(where, f"a column named '{column}'", found, do)
    if len(same) > 1:
        raise DataError.of(where, f"one column named '{column}'", f"{len(same)} of them", "Do rename all but one.")
    return str(same[0])


def plain(where: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The same values without dictionaries, unsigned integers, halves, and offsets of 64 bits. Errors: DataError."""
    import pyarrow as pa

    kind = column.type
    if pa.types.is_dictionary(kind):
        return plain(where, _decoded(column))
    if pa.types.is_large_string(kind) or kind == pa.string_view():
        column = _strings(column)
    elif pa.types.is_unsigned_integer(kind):
        column = _signed(where, column)
    elif pa.types.is_float16(kind):
        column = column.cast(pa.float32())
    elif pa.types.is_fixed_size_list(kind) or pa.types.is_large_list(kind):
        column = column.cast(pa.list_(kind.value_type))
    return column


def _taken(where: str, column: pa.ChunkedArray, accepts: str, parameter: str | None) -> pa.ChunkedArray:
    """The column in a type of store/FORMAT.md that the kernel takes."""
    import pyarrow as pa

    column = plain(where, column)
    kind = column.type
    number = pa.types.is_integer(kind) or pa.types.is_floating(kind)
    if pa.types.is_list(kind):
        inner = kind.value_type
        features = pa.types.is_integer(inner) or pa.types.is_floating(inner)
    else:
        features = number
    taken, expected = {
        "id": (pa.types.is_integer(kind) or pa.types.is_string(kind), "an integer or string column"),
        "key": (pa.types.is_integer(kind) or pa.types.is_string(kind), "an integer or string column"),
        "number": (number, "an integer, float or double column"),
        "features": (features, "a column of numbers, or of arrays of numbers"),
    }.get(accepts, (True, ""))
    if not taken:
        do = "Do cast it" + (f" or pass another column as {parameter}." if parameter else ".")
        raise DataError.of(where, expected, str(kind), do)
    return column


def _strings(column: pa.ChunkedArray, most_bytes: int = 1 << 30) -> pa.ChunkedArray:
    """The same strings with offsets of 32 bits, in chunks that these can address."""
    import pyarrow as pa

    parts: list[pa.Array] = []
    for chunk in column.chunks:
        rows = max(1, len(chunk) * most_bytes // max(chunk.nbytes, most_bytes))
        parts += [chunk.slice(first, rows).cast(pa.string()) for first in range(0, len(chunk), rows)]
    return pa.chunked_array(parts, pa.string())


def _decoded(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The values that a dictionary stands for."""
    import pyarrow as pa

    kind = column.type.value_type
    plain = pa.string() if kind == pa.string_view() or pa.types.is_large_string(kind) else kind
    chunks = [
        pa.DictionaryArray.from_arrays(chunk.indices, chunk.dictionary.cast(plain)).dictionary_decode()
        for chunk in column.chunks
    ]
    return pa.chunked_array(chunks, plain)


def _signed(where: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
    import pyarrow as pa
    import pyarrow.compute as pc

    most = pc.max(column).as_py()
    if most is not None and most > 2**63 - 1:
        raise DataError.of(where, "integers up to 9223372036854775807", str(most), "Do pass them as strings.")
    return column.cast(pa.int64())


def _read(where: str, path: Path, names: Sequence[str], needed: Sequence[str] | None) -> pa.Table:
    from ..files.tables import read_table

    try:
        return read_table(path, names, what=where, needed=needed)
    except (ArgumentError, DataError) as e:
        said = Exception.__str__(e)
        raise type(e)(f"{said} sparkgap.local.read takes these." if _OPTION.search(said) else said) from None
