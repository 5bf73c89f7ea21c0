# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`-` as an input: what stdin holds becomes a file, for text is read twice and ranks map what they read."""

from __future__ import annotations

import contextlib
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from ..errors import ArgumentError, DataError
from ..files.formats import is_url
from ..scratch import scratch

_STDIN = "/dev/stdin"
_HEAD = 8
_BEGINNINGS = {b"ARROW1": ".arrow", b"\xff\xff\xff\xff": ".arrow", b"PAR1": ".parquet"}


def word(typed: str) -> str:
    """`-.tsv` as a word that no parser takes for an option.

    Examples
    --------
    >>> word("-.tsv"), word("-"), word("-n")
    ('/dev/stdin.tsv', '-', '-n')
    """
    return f"{_STDIN}{typed[1:]}" if typed.startswith("-.") else typed


def is_standard(place: str) -> bool:
    """Whether a name stands for stdin: `-`, or that with the suffix of a format, as `-.tsv`."""
    return place == "-" or place.startswith(_STDIN)


def as_files(typed: Mapping[str, str], until: contextlib.ExitStack) -> dict[str, Path | str]:
    """The inputs by name: URLs as they are, files as paths, stdin as a private file until the stack is unwound.

    Raises
    ------
    ArgumentError
        Two of them are stdin.
    DataError
        There is nothing in it.
    """
    standard = [name for name, place in typed.items() if is_standard(place)]
    if len(standard) > 1:
        raise ArgumentError.of(standard[1], "stdin for one input", "it for two", "Give a file for one of them.")
    return {
        name: _spooled(name, place, until) if name in standard else place if is_url(place) else Path(place)
        for name, place in typed.items()
    }


def _spooled(name: str, place: str, until: contextlib.ExitStack) -> Path:
    stream = sys.stdin.buffer
    head = stream.read(_HEAD)
    if not head:
        raise DataError.of(name, "rows on stdin", "nothing", "Give Arrow's stream, or text as in a .csv.")
    said = next((suffix for begins, suffix in _BEGINNINGS.items() if head.startswith(begins)), ".csv")
    suffix = place.removeprefix("-").removeprefix(_STDIN) or said
    file = until.enter_context(scratch()) / f"stdin{suffix}"
    with file.open("xb") as copy:
        copy.write(head)
        shutil.copyfileobj(stream, copy, 1 << 20)
    return file
