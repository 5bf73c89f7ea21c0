# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What a command line says of text files, checked against the files that it names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from ..errors import ArgumentError
from ..files.formats import check_url, is_text
from ..files.text_options import TextOptions


def check_files(places: Iterable[Path | str], how: TextOptions) -> None:
    """Refuse what cannot be read, and words about text where no file is one, before Spark starts.

    Raises
    ------
    ArgumentError
        One of these.
    """
    texts = [_is_text(place) for place in places]
    if how and not any(texts):
        given = (
            "--header or --no-header"
            if how.header is not None
            else "--delimiter"
            if how.delimiter is not None
            else "--types"
        )
        raise ArgumentError.of(given, "a file of text to which it applies", "none", "Leave it out.")


def check_types(how: TextOptions, columns: Mapping[str, Sequence[str]], files: Mapping[str, Path | str]) -> None:
    """Refuse a type for a column that no text file has.

    Raises
    ------
    ArgumentError
        There is one.
    """
    known = [column for name, of in columns.items() if _is_text(files[name]) for column in of]
    for column in how.types:
        if column not in known:
            raise ArgumentError.of("--types", f"a column among {', '.join(known)}", repr(column), "Correct the name.")


def _is_text(place: Path | str) -> bool:
    if isinstance(place, Path):
        return is_text(place)
    check_url(place)
    return False
