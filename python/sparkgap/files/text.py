# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Files of text as Arrow tables, by the rules of docs/files.md.

Text is read block by block, twice: once to see the type of each column by all of its values, once to give them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa

from ..errors import DataError
from .formats import DELIMITERS, kind_of
from .text_columns import TYPES, Column, convert
from .text_layout import Layout, layout
from .text_options import TextOptions
from .text_records import Block


def text(
    path: Path,
    names: Sequence[str],
    *,
    needed: Sequence[str] | None = None,
    how: TextOptions | None = None,
    what: str = "file",
    keep: bool = False,
) -> tuple[pa.Schema, Iterator[pa.Table]]:
    """The schema and the rows of a text file, a few MiB at a time.

    Parameters
    ----------
    path : Path
        A file whose name says that it is text.
    names : sequence of str
        The columns of a file without a header, in order; more columns are called c3, c4, ...
    needed : sequence of str, optional
        Those of `names` that the file must have; all by default.
    how : TextOptions, optional
        Header, delimiter and types of columns, where the user says them.
    what : str
        The input's name in messages.
    keep : bool
        Hold the rows of the first reading where all of them are integers, for callers that take the whole file anyway.

    Raises
    ------
    ArgumentError
        The file has two readings; says what to add.
    DataError
        The file is empty, or a line of it is not as the others; with the line.
    """
    how = how or TextOptions()
    found = layout(
        path, names, list(names if needed is None else needed), how, delimiter=DELIMITERS[kind_of(path)], what=what
    )
    columns = [Column(name) for name in found.columns]
    rows, kept = 0, []
    for block in found.blocks():
        count, integers = _look(found, block, columns, how)
        rows += count
        keep = keep and integers is not None
        if keep:
            kept.append(integers)
    if rows == 0:
        raise DataError.of(what, "at least one row", f"none in {path}", "Give a file with data.")
    types = {c.name: how.types.get(c.name) or c.type(found.records) for c in columns}
    schema = pa.schema([(name, TYPES[to]) for name, to in types.items()])
    return schema, iter(kept) if keep else _converted(found, types, set(how.types))


def _look(found: Layout, block: Block, columns: list[Column], how: TextOptions) -> tuple[int, pa.Table | None]:
    """Takes the values of a block into account; how many rows it has, and these where all are integers."""
    integers = [c.name for c in columns if c.integers and c.name not in how.types]
    table = found.records.with_integers(block, found.columns, integers) if integers else None
    if table is None:
        table, integers = found.records.parse(block, found.columns), []
    for column in columns:
        if column.name in integers:
            column.look_at_integers(table[column.name], block)
        elif column.name not in how.types:
            column.look(table[column.name], block, quotes=b'"' in block.raw)
    return int(table.num_rows), table if len(integers) == len(columns) else None


def _converted(found: Layout, types: dict[str, str], asked: set[str]) -> Iterator[pa.Table]:
    integers = [name for name, to in types.items() if to == "bigint" and name not in asked]
    for block in found.blocks():
        table = found.records.with_integers(block, found.columns, integers) if integers else None
        done = set(integers) if table is not None else set()
        if table is None:
            table = found.records.parse(block, found.columns)
        yield pa.table(
            {
                name: table[name]
                if name in done
                else convert(table[name], to, name, block, found.records, asked=name in asked)
                for name, to in types.items()
            }
        )
