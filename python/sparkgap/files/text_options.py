# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The files that are read, and the user's options for text files. Needs none of the libraries that read them, so that
other verbs start without these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..errors import ArgumentError, surface

LISTS = (".txt", ".e", ".edges", ".el", ".v", ".vertices", ".list", ".snap")
COMPRESSIONS = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".lz4": "lz4"}
TYPES = ("bigint", "double", "string")
NAMES = (
    f"a folder of Parquet, .parquet, .arrow, .feather, .csv, .tsv or a list ({' '.join(LISTS)}); text also"
    f" {' '.join(COMPRESSIONS)}"
)
# What the command line says of these.
HEADER = "Of files of text: whether the first line names the columns; needed where that has two readings."
DELIMITER = (
    "Of files of text: one character, tab or blank; by default what the name says: , of .csv, tab of .tsv, blanks of"
    " lists."
)
TYPES_OF_COLUMNS = (
    f"Of files of text: {', '.join(TYPES)} for a column; repeatable; by default what all of its values are."
)
_WORDS = {"tab": "\t", "\\t": "\t", "blank": "", "comma": ",", "semicolon": ";"}


@dataclass(frozen=True)
class TextOptions:
    """What the user says of text files: `header` is None and `delimiter` "" where nothing was said; `types` holds a
    type of SQL by column.
    """

    header: bool | None = None
    delimiter: str | None = None
    types: dict[str, str] = field(default_factory=dict)

    @staticmethod
    def of(header: bool | None = None, delimiter: str | None = None, types: Sequence[str] = ()) -> TextOptions:
        """From the words that people type.

        Raises
        ------
        ArgumentError
            A word means nothing here.

        Examples
        --------
        >>> TextOptions.of(delimiter="tab", types=["zip code=string"])
        TextOptions(header=None, delimiter='\\t', types={'zip code': 'string'})
        """
        given = None if delimiter is None else _WORDS.get(delimiter, delimiter)
        if given and (len(given) != 1 or given in '"\r\n\0 ' or not given.isascii()):
            raise ArgumentError.of(
                "--delimiter" if surface.get() == "cli" else "delimiter",
                "one ASCII character, tab or blank",
                repr(delimiter),
                "Pass for example delimiter => ';'.",
            )
        pairs = {}
        for text in [types] if isinstance(types, str) else types:
            column, _, to = text.rpartition("=")
            if not column or to not in TYPES:
                raise ArgumentError.of(
                    "--types" if surface.get() == "cli" else "types",
                    f"COLUMN=TYPE with one of {', '.join(TYPES)}",
                    repr(text),
                    "Pass for example types => zip=string.",
                )
            pairs[column] = to
        return TextOptions(header, given, pairs)

    def __bool__(self) -> bool:
        return self != TextOptions()
