# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What a command line says of text files, checked against the files that it names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import ArgumentError
from ..files.text_options import TextOptions

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def check_files(paths: Iterable[Path], how: TextOptions) -> None:
    """Refuse what cannot be read, and words about text where no file is one, before Spark starts.

    Raises
    ------
    ArgumentError
        One of these.
    """
    from ..files import inputs

    texts = [inputs.is_text(path) for path in paths]
    if how and not any(texts):
        given = (
            "--header or --no-header"
            if how.header is not None
            else "--delimiter"
            if how.delimiter is not None
            else "--types"
        )
        raise ArgumentError.of(given, "a file of text to which it applies", "none", "Leave it out.")


def check_types(how: TextOptions, frames: Mapping[str, DataFrame], files: Mapping[str, Path]) -> None:
    """Refuse a type for a column that no text file has.

    Raises
    ------
    ArgumentError
        There is one.
    """
    from ..files import inputs

    known = [column for name, frame in frames.items() if inputs.is_text(files[name]) for column in frame.columns]
    for column in how.types:
        if column not in known:
            raise ArgumentError.of("--types", f"a column among {', '.join(known)}", repr(column), "Correct the name.")
