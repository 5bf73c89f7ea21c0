# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Files whose name does not say all that is needed to read them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..files.text_options import TextOptions

if TYPE_CHECKING:
    import pyarrow as pa


def read(
    path: str | Path,
    *,
    columns: Sequence[str] = (),
    header: bool | None = None,
    delimiter: str | None = None,
    types: Sequence[str] = (),
) -> pa.Table:
    """A file as a table, by the rule of docs/files.md: what can be read in two ways is refused.

    Parameters
    ----------
    path : path
        Parquet (a file or a folder), Arrow, CSV, TSV or a list, by its name; text also compressed.
    columns : sequence of str
        The names of the columns, in order, of a file of text without a header; more of them are called c3, c4, ...
    header : bool, optional
        Of text: whether the first line names the columns; needed where that has two readings.
    delimiter : str, optional
        Of text: one character, "tab" or "blank"; by default what the name says.
    types : sequence of str
        Of text: "column=type" with bigint, double or string; by default what all values of the column are.

    Returns
    -------
    pyarrow.Table
        Of text, columns are int64, double or string.

    Raises
    ------
    ArgumentError
        There is no such file, or it has two readings; says what to pass.
    DataError
        It is empty, or a line is not as the others; with the line.

    Notes
    -----
    Cost: integers in text at about 80 MB per CPU second; all else is read twice, at a quarter of that or less.
    """
    from ..files.tables import read_table

    how = TextOptions.of(header, delimiter, types)
    return read_table(Path(path), columns, needed=columns, how=how)
