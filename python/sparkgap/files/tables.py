# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Files as Arrow tables, for what runs without Spark."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

from .arrow import mapped, parquet
from .formats import kind_of
from .text import text
from .text_options import TextOptions


def read_table(
    path: Path,
    names: Sequence[str] = (),
    *,
    what: str = "file",
    needed: Sequence[str] | None = None,
    how: TextOptions | None = None,
) -> pa.Table:
    """The table in `path`, of Parquet perhaps the needed columns alone. Parameters and errors are those of
    `inputs.read`.
    """
    kind = kind_of(path, what)
    if kind == "parquet":
        return parquet(path, what, names if needed is None else needed)
    if kind == "arrow":
        return mapped(path, what)
    _, blocks = text(path, names, needed=needed, how=how, what=what, keep=True)
    return pa.concat_tables(blocks)
