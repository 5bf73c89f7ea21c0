# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The formats of files that any program reads or writes, and which columns each can hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ...errors import ArgumentError, SparkGapError
from ...store_files.details import ddl

if TYPE_CHECKING:
    import pyarrow as pa

_TEXTS = ("boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "string", "date", "timestamp",
          "timestamp_ntz")  # fmt: skip
_INTEGERS = {"tinyint": "|i1", "smallint": "<i2", "int": "<i4", "bigint": "<i8"}
# NumPy's names of the types that binary files hold.
DTYPES = {"boolean": "|b1", **_INTEGERS, "float": "<f4", "double": "<f8"}
_NUMBERS = "booleans, integers, floats and doubles"
_ENTRIES = "row, column and value, the first two integers"


@dataclass(frozen=True)
class Format:
    """One of them. `option` is what stands behind the + in its word."""

    kind: Literal["arrow", "csv", "tsv", "text", "raw", "npy", "mtx"]
    option: str = ""

    @property
    def word(self) -> str:
        return f"{self.kind}+{self.option}" if self.option else self.kind

    @property
    def suffix(self) -> str:
        """Of its files."""
        return {"arrow": "", "text": ".txt"}.get(self.kind, f".{self.kind}")

    @property
    def is_text(self) -> bool:
        return self.kind in ("csv", "tsv", "text")

    def check(self, where: str, schema: pa.Schema, error: type[SparkGapError]) -> None:
        """Refuse a column that it cannot hold. Errors: `error`."""
        refusal = self._refusal(schema)
        if refusal is not None:
            column, expected, found = refusal
            do = "Cast it, rename it, leave it out or choose another format."
            raise error.of(f"{where}.{column}", f"{expected} for format {self.word}", found, do)

    def _refusal(self, schema: pa.Schema) -> tuple[str, str, str] | None:
        """The column, what is expected, and what was found."""
        kinds = [(field.name, ddl(field.type)) for field in schema]
        if self.kind == "arrow":
            return None
        if self.is_text:
            return self._refused_text(kinds)
        held = [
            (name, _NUMBERS if self.kind != "mtx" else _ENTRIES, kind) for name, kind in kinds if kind not in DTYPES
        ]
        if held:
            return held[0]
        if self.kind == "npy":
            like, first = f"columns of one type, which {kinds[0][0]} has as {kinds[0][1].upper()}", kinds[0][1]
            return next(((name, like, kind) for name, kind in kinds if kind != first), None)
        return _refused_entries(kinds) if self.kind == "mtx" else None

    def _refused_text(self, kinds: list[tuple[str, str]]) -> tuple[str, str, str] | None:
        texts = "booleans, numbers, decimals, dates, timestamps and strings"
        for name, kind in kinds:
            if kind not in _TEXTS and not kind.startswith("decimal("):
                return name, texts, kind
        if self.kind == "text" and self.option:
            for name, _ in kinds:
                if not name or any(c <= " " or c.isspace() for c in name):
                    return name, "names without blanks", repr(name)
            if kinds[0][0].startswith("#"):
                return kinds[0][0], "a first name that does not begin with #, as comments do", repr(kinds[0][0])
        return None


def _refused_entries(kinds: list[tuple[str, str]]) -> tuple[str, str, str] | None:
    for name, kind in kinds[:2]:
        if kind not in _INTEGERS:
            return name, _ENTRIES, kind
    for name, kind in kinds[2:]:
        if kind == "boolean":
            return name, _ENTRIES, kind
    if len(kinds) not in (2, 3):
        return kinds[-1][0], f"{_ENTRIES}, and no other columns", kinds[-1][1]
    return None


_ALL = (
    Format("arrow"),
    *(Format(kind, option) for kind in ("csv", "tsv", "text") for option in ("", "header")),
    Format("raw"),
    Format("raw", "rows"),
    Format("npy"),
    Format("npy", "columns"),
    Format("mtx"),
    Format("mtx", "zero"),
)
WORDS = {each.word: each for each in _ALL}


def of(where: str, word: object) -> Format:
    """The format of that word. Errors: ArgumentError where it is none."""
    if word not in WORDS:
        raise ArgumentError.of(where, f"one of {', '.join(WORDS)}", repr(word), "Choose another format.")
    return WORDS[str(word)]
