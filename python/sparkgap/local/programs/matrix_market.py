# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Matrix Market files as rows of (row, column) or (row, column, value), an entry of a dense file each as well."""

from __future__ import annotations

from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...errors import DataError
from . import cells
from .binary import require_values
from .formats import Format
from .output_file import OutputFile
from .text import read_block

_HEAD = "%%MatrixMarket matrix, then coordinate or array, real, integer or pattern, and general or (skew-)symmetric"
_FIRST_ENTRY = 1000  # the line of the first entry, where it is not known yet


def write(where: str, table: pa.Table, form: Format, file: IO[bytes]) -> None:
    """Coordinates, counted from 1. Errors: DataError for a null, or a row or column before the first."""
    require_values(where, table)
    shift, sizes, places = int(form.option == "zero"), [], []
    for name, column in zip(table.column_names[:2], table.columns[:2], strict=True):
        place = column.to_numpy().astype(np.int64) + shift
        if len(place) and place.min() < 1:
            row = int((place < 1).argmax())
            do = "Choose mtx for numbers from 1, mtx+zero for numbers from 0."
            expected = f"a number of at least {1 - shift}"
            raise DataError.of(f"{where}.{name}, row {row + 1}", expected, str(place[row] - shift), do)
        places.append(place)
        sizes.append(int(place.max()) if len(place) else 0)
    value = table.columns[2:]
    kind = "pattern" if not value else "integer" if pa.types.is_integer(value[0].type) else "real"
    file.write(f"%%MatrixMarket matrix coordinate {kind} general\n{sizes[0]} {sizes[1]} {table.num_rows}\n".encode())
    if table.num_rows:
        words = [pa.chunked_array([pa.array(place).cast(pa.string())]) for place in places]
        words += [cells.words(column).combine_chunks() for column in value]
        file.write("\n".join([*pc.binary_join_element_wise(*words, " ").to_pylist(), ""]).encode())


def read(file: OutputFile, form: Format, schema: pa.Schema) -> pa.Table:
    """The entries of a file, both of a symmetric pair. Errors: DataError with the line."""
    data = file.path.read_bytes()
    shift = int(form.option == "zero")
    layout, kind, symmetry = _head(file, data.partition(b"\n")[0])
    if kind != "pattern" and len(schema) == 2:
        raise file.refused(" line 1", "pattern, for two columns", kind)
    begin, line, words = _data_line(data, len(data.partition(b"\n")[0]) + 1, 2)
    if words is None:
        raise file.refused("", "a line with its sizes", "the end of the file")
    sizes = [int(word) if word.isdigit() else -1 for word in words]
    if len(sizes) != (2 if layout == "array" else 3) or min(sizes) < 0:
        expected = "the sizes: rows, columns and, where sparse, entries"
        raise file.refused(f" line {line - 1}", expected, b" ".join(words).decode(errors="replace"))
    if symmetry != "general" and sizes[0] != sizes[1]:
        found = f"{sizes[0]} and {sizes[1]}"
        raise file.refused(f" line {line - 1}", f"as many rows as columns, for {symmetry}", found)
    entries = sizes[0] * sizes[1] if layout == "array" else sizes[2]
    read_as = _columns_of(layout, kind, schema)
    found = read_block(file, "text", read_as, data[begin:], line, b"%")
    if found.num_rows < entries:
        raise file.refused("", f"{entries} entries", "the end of the file before")
    if found.num_rows > entries:
        at = _line_of(data, begin, line, entries)
        raise file.refused(f" line {at}", "no more entries than its sizes say", "one more")
    if layout == "array":
        return _dense(found, sizes, shift, schema)
    for c, what in enumerate(("row", "column")):
        place = found.column(c).to_numpy()
        bad = np.flatnonzero((place < 1) | (place > sizes[c]))
        if len(bad):
            at = _line_of(data, begin, line, int(bad[0]))
            raise file.refused(f" line {at}", f"a {what} from 1 to {sizes[c]}", f"'{place[bad[0]]}'")
    return _sparse(file, found, symmetry, shift, schema)


def _head(file: OutputFile, line: bytes) -> tuple[str, str, str]:
    words = line.decode("latin-1").lower().split()
    if len(words) == 5 and words[:2] == ["%%matrixmarket", "matrix"]:
        layout, kind, symmetry = words[2:]
        sparse = layout == "coordinate" and kind in ("real", "double", "integer", "pattern")
        dense = layout == "array" and kind in ("real", "double", "integer")
        if (sparse and symmetry in ("general", "symmetric", "skew-symmetric")) or (dense and symmetry == "general"):
            return layout, kind, symmetry
    raise file.refused(" line 1", _HEAD, f"'{' '.join(words)[:100]}'")


def _data_line(data: bytes, at: int, line: int) -> tuple[int, int, list[bytes] | None]:
    """The words of the next line that is neither blank nor a comment, and where the line after it begins."""
    while at < len(data):
        end = data.find(b"\n", at)
        end = len(data) if end < 0 else end
        words = data[at:end].split()
        at, line = end + 1, line + 1
        if words and not words[0].startswith(b"%"):
            return at, line, words
    return at, line, None


def _line_of(data: bytes, at: int, line: int, entry: int) -> int:
    for _ in range(entry + 1):
        at, line, _words = _data_line(data, at, line)
    return line - 1


def _columns_of(layout: str, kind: str, schema: pa.Schema) -> pa.Schema:
    """What a line of the file holds."""
    value = [pa.field(f.name, f.type, nullable=False) for f in list(schema)[2:]]
    if layout == "array":
        return pa.schema(value)
    places = [pa.field(what, pa.int64(), nullable=False) for what in schema.names[:2]]
    return pa.schema(places if kind == "pattern" else [*places, *value])


def _dense(found: pa.Table, sizes: list[int], shift: int, schema: pa.Schema) -> pa.Table:
    at = np.arange(found.num_rows)
    rows, columns = (at % max(sizes[0], 1), at // max(sizes[0], 1))
    return _cast([rows + 1 - shift, columns + 1 - shift, *found.columns], schema)


def _sparse(file: OutputFile, found: pa.Table, symmetry: str, shift: int, schema: pa.Schema) -> pa.Table:
    rows, columns = (found.column(c).to_numpy() for c in (0, 1))
    values = [found.column(2)] if found.num_columns == 3 else []
    if not values and len(schema) == 3:
        values = [pa.chunked_array([pa.array(np.ones(len(rows))).cast(schema.field(2).type)])]
    if symmetry != "general":
        pairs = np.repeat(np.arange(len(rows)), np.where(rows == columns, 1, 2))
        mirrored = np.append([False], pairs[1:] == pairs[:-1]) if len(pairs) else pairs.astype(bool)
        rows, columns = (np.where(mirrored, b[pairs], a[pairs]) for a, b in ((rows, columns), (columns, rows)))
        values = [column.take(pa.array(pairs)) for column in values]
        if symmetry == "skew-symmetric":
            values = [_negated(file, column, mirrored) for column in values]
    return _cast([rows - shift, columns - shift, *values], schema)


def _negated(file: OutputFile, column: pa.ChunkedArray, where: Any) -> pa.ChunkedArray:
    try:
        return pc.if_else(pa.array(where), pc.negate_checked(column), column)
    except pa.ArrowInvalid:
        raise file.refused("", f"values whose negatives are {column.type} too", str(pc.min(column))) from None


def _cast(columns: list[Any], schema: pa.Schema) -> pa.Table:
    arrays = [
        (pa.chunked_array([pa.array(c)]) if isinstance(c, np.ndarray) else c).cast(field.type)
        for c, field in zip(columns, schema, strict=True)
    ]
    return pa.table(arrays, schema=schema)
