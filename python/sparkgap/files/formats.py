# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What the name of a file says of its format, for reading. docs/files.md has the rule."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

from ..errors import ArgumentError
from .text_options import COMPRESSIONS, LISTS, NAMES

Kind = Literal["parquet", "arrow", "csv", "tsv", "list"]
_KINDS: dict[str, Kind] = {
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".arrows": "arrow",
    ".feather": "arrow",
    ".csv": "csv",
    ".tsv": "tsv",
    **dict.fromkeys(LISTS, "list"),
}
_URL = re.compile(r"[A-Za-z][\w+.-]+:/")
# Of the kinds that are text: what stands between values.
DELIMITERS = {"csv": ",", "tsv": "\t", "list": ""}


def is_url(place: str | Path) -> bool:
    """Whether a place is in a file system that Spark alone reads and writes, such as hdfs:// and s3a://."""
    return _URL.match(str(place)) is not None and not Path(place).exists()


def check_url(url: str, what: str = "INPUT") -> None:
    """Refuse what Spark would not read as Parquet.

    Raises
    ------
    ArgumentError
        Its name says another format.
    """
    if Path(url).suffix.lower() not in ("", ".parquet"):
        do = "Copy the file here, or read it in Python by spark.read."
        raise ArgumentError.of(what, "Parquet where only Spark reads", url, do)


def kind_of(path: Path, what: str = "INPUT") -> Kind:
    """How to read `path`, by its name; `what` is the input's name in messages.

    Raises
    ------
    ArgumentError
        The file does not exist, or its name says nothing we know.

    Examples
    --------
    >>> import tempfile; folder = Path(tempfile.mkdtemp()); kind_of(folder)
    'parquet'
    """
    if not path.exists():
        if is_url(path):
            do = "Copy it here, or read it in Python by spark.read."
            raise ArgumentError.of(what, "a file of this machine", str(path), do)
        raise ArgumentError.of(what, "a file or folder that exists", str(path), "Check the path.")
    if path.is_dir():
        return "parquet"
    suffixes = [s.lower() for s in path.suffixes]
    packed = suffixes[-1:] != [] and suffixes[-1] in COMPRESSIONS
    kind = _KINDS.get(suffixes[-2] if packed and len(suffixes) > 1 else suffixes[-1] if suffixes else "")
    if kind is None or (packed and kind not in DELIMITERS):
        raise ArgumentError.of(
            what,
            f"a Parquet file or folder, or another name that says its format: {NAMES}",
            path.name,
            "Rename or convert it.",
        )
    if not path.is_file():
        raise ArgumentError.of(
            what, "a file that can be read twice", f"{path}, which is no plain file", "Write it to a file first."
        )
    return kind


def is_text(path: Path) -> bool:
    """Whether `path` is a file of text, to which what the user says of text applies."""
    return kind_of(path) in DELIMITERS
