# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""One call of Arrow's reader of text, and how long what it has read is as text."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from .arrow_scalars import integer

_SHARE = 1 << 20  # of a block, for one thread


def read_strings(
    data: bytes, names: list[str] | None, delimiter: str, *, quotes: bool = True, empty_rows: bool = False
) -> pa.Table:
    """A table of strings; its columns are f0, f1, ... where no names are given."""
    if not data.strip(b"\r\n") and not (empty_rows and data):
        return pa.table({name: pa.array([], pa.string()) for name in names or []})
    if names is None:
        width = read_once(data, {"autogenerate_column_names": True}, [], delimiter, quotes, empty_rows).num_columns
        names = [f"f{i}" for i in range(width)]
    return read_once(
        data,
        {"column_names": [str(i) for i in range(len(names))]},
        [str(i) for i in range(len(names))],
        delimiter,
        quotes,
        empty_rows,
    ).rename_columns(names)


def read_once(
    data: bytes, columns: dict[str, Any], strings: list[str], delimiter: str, quotes: bool, empty_rows: bool
) -> pa.Table:
    """One call of Arrow's reader, with no rule of its own about what is null or a number."""
    return pacsv.read_csv(
        pa.BufferReader(data),
        read_options=pacsv.ReadOptions(block_size=max(1 << 20, min(len(data) + 1, (1 << 31) - 1)), **columns),
        parse_options=pacsv.ParseOptions(
            delimiter=delimiter,
            quote_char='"' if quotes else False,
            newlines_in_values=quotes,
            ignore_empty_lines=not empty_rows,
        ),
        convert_options=pacsv.ConvertOptions(
            column_types={name: pa.string() for name in strings},
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )


def read_typed(data: bytes, kinds: list[pa.DataType], delimiter: str) -> pa.Table:
    """A table of columns 0, 1, ... of these types, read by all threads of Arrow's. Errors: ArrowInvalid."""
    numbered = [str(i) for i in range(len(kinds))]
    return pacsv.read_csv(
        pa.py_buffer(data),
        read_options=pacsv.ReadOptions(block_size=_SHARE, column_names=numbered),
        parse_options=pacsv.ParseOptions(delimiter=delimiter, quote_char=False),
        convert_options=pacsv.ConvertOptions(
            column_types=dict(zip(numbered, kinds, strict=True)), null_values=[""], strings_can_be_null=True
        ),
    )


def text_length(column: pa.ChunkedArray) -> int:
    """The bytes that its values take as text."""
    if pa.types.is_string(column.type):
        return int(pc.sum(pc.binary_length(column)).as_py())
    bounds = pc.min_max(column).as_py()
    signs = pc.sum(pc.less(column, integer(0))).as_py() if bounds["min"] < 0 else 0
    total = len(column) + signs
    for power in range(1, 19):
        least = 10**power
        if bounds["max"] >= least:
            total += pc.sum(pc.greater_equal(column, integer(least))).as_py()
        if bounds["min"] <= -least:
            total += pc.sum(pc.less_equal(column, integer(-least))).as_py()
    return int(total)
