# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Which type a column of text has: decided by all of its values, and refused where two types are possible.
docs/files.md has the rules.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

import pyarrow as pa
import pyarrow.compute as pc

from ..errors import DataError
from .arrow_scalars import integer
from .text_records import QUOTED, Block, Records

TYPES = {"bigint": pa.int64(), "double": pa.float64(), "string": pa.string()}
_INTEGER = r"^-?(0|[1-9][0-9]*)$"
_NUMBER = r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$"
_FRACTION = r"^-?(0|[1-9][0-9]*)(\.[0-9]+([eE][+-]?[0-9]+)?|[eE][+-]?[0-9]+)$"
_LIKE_A_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_EXACT = 1 << 53  # above it a double does not hold every integer


@cache
def _not_finite() -> pa.Array:
    """Not made before it is needed: Arrow imports pandas to make an array of a list."""
    return pa.array(["nan", "NaN", "inf", "-inf", "Infinity", "-Infinity"])


def _is_inexact(integers: pa.ChunkedArray) -> pa.ChunkedArray:
    return pc.or_(pc.greater(integers, integer(_EXACT)), pc.less(integers, integer(-_EXACT)))


@dataclass
class Column:
    """What has been seen of a column's values: of each kind the first one, and where."""

    name: str
    seen: dict[str, tuple[str, Block, int]] = field(default_factory=dict)

    @property
    def integers(self) -> bool:
        """Whether no value has been seen but integers."""
        return self.seen.keys() <= {"integer", "inexact"}

    def look_at_integers(self, values: pa.ChunkedArray, block: Block) -> None:
        """Take the values of a block into account, of which each is null or an integer as machines write it."""
        bounds = pc.min_max(values).as_py()
        if bounds["min"] is None:
            return
        masks = {"integer": pc.is_valid}
        if not -_EXACT <= bounds["min"] <= bounds["max"] <= _EXACT:
            masks["inexact"] = _is_inexact
        for kind in masks.keys() - self.seen.keys():
            at: int = pc.indices_nonzero(masks[kind](values))[0].as_py()
            self.seen[kind] = (str(values[at].as_py()), block, at)

    def look(self, values: pa.ChunkedArray, block: Block, *, quotes: bool) -> None:
        """Take the values of a block into account; `quotes` says that some column of it holds quotes."""
        array = values.combine_chunks()
        if quotes:
            marked = pc.starts_with(array, QUOTED)
            if self._note("quoted", array, marked, block):
                array = pc.if_else(marked, None, array)
        if array.null_count == len(array):
            return
        try:
            integers = pc.cast(array, pa.int64())
            if pc.all(pc.equal(pc.cast(integers, pa.string()), array)).as_py():
                self.look_at_integers(integers, block)
                return
        except pa.ArrowInvalid:
            pass
        if pc.all(pc.match_substring_regex(array, _FRACTION)).as_py():
            self._note("fraction", array, pc.is_valid(array), block)
            return
        number, integer = pc.match_substring_regex(array, _NUMBER), pc.match_substring_regex(array, _INTEGER)
        not_finite = pc.is_in(array, _not_finite())
        like, rest = (
            pc.match_substring_regex(array, _LIKE_A_NUMBER),
            pc.and_(pc.is_valid(array), pc.invert(pc.fill_null(pc.or_(number, not_finite), False))),
        )
        zero = pc.equal(array, "-0")  # no integer has this text
        self._note("integer", array, pc.and_not(integer, zero), block)
        self._note("fraction", array, pc.or_(pc.and_not(number, integer), zero), block)
        self._note("not finite", array, not_finite, block)
        self._note("odd number", array, pc.and_(rest, like), block)
        self._note("word", array, pc.and_not(rest, like), block)
        self._note("blanks", array, pc.and_(rest, pc.not_equal(array, pc.utf8_trim_whitespace(array))), block)
        if pc.any(integer).as_py() and {"large", "inexact"} - set(self.seen):
            long = pc.and_(integer, pc.greater_equal(pc.utf8_length(array), 16))
            for at in pc.indices_nonzero(pc.fill_null(long, False)).to_pylist():
                value = int(array[at].as_py())
                if not -(2**63) <= value < 2**63:
                    self.seen.setdefault("large", (str(value), block, at))
                if abs(value) > _EXACT:
                    self.seen.setdefault("inexact", (str(value), block, at))

    def _note(self, kind: str, array: pa.Array, mask: pa.Array, block: Block) -> bool:
        if kind in self.seen:
            return kind == "quoted"
        at: int = pc.index(mask, True).as_py()
        if at >= 0:
            self.seen[kind] = (array[at].as_py(), block, at)
        return at >= 0

    @property
    def numbers(self) -> bool:
        """Whether all values seen are numbers, and there are some."""
        return bool(self.seen.keys() & {"integer", "fraction"}) and not self.seen.keys() & {
            "word",
            "odd number",
            "quoted",
        }

    def type(self, records: Records) -> str:
        """The column's type in SQL.

        Raises
        ------
        DataError
            Two types are possible; names a value and its line.
        """
        seen = self.seen
        if "blanks" in seen:
            raise self._refuse(
                records,
                "blanks",
                "values without blanks around them",
                "Remove the blanks, put the value in quotes, or pass types => {}=string to keep them",
            )
        if "quoted" in seen:
            return "string"
        numbers = seen.keys() & {"integer", "fraction"}
        if "word" in seen and numbers:
            kind = "double" if "fraction" in seen else "bigint"
            first = min((seen[n] for n in numbers), key=lambda s: (s[1].line, s[2]))
            word = seen["word"]
            if (word[1].line, word[2]) > (first[1].line, first[2]):
                raise self._refuse(
                    records, "word", f"{kind} values as in the lines before", "Repair it, or pass types => {}=string"
                )
            raise self._refuse(
                records,
                next(iter(numbers)),
                "words as in the lines before",
                "Repair it, or pass types => {}=string",
                shown=first,
            )
        if "word" in seen or "odd number" in seen:
            return "string"
        if "fraction" in seen or ("not finite" in seen and numbers):
            if "inexact" in seen:
                raise self._refuse(
                    records,
                    "inexact",
                    "numbers that double holds exactly",
                    "Pass types => {}=double to round them, or types => {0}=string",
                )
            return "double"
        if "not finite" in seen:
            raise self._refuse(
                records, "not finite", "numbers or words", "Pass types => {}=double or types => {0}=string"
            )
        if "large" in seen:
            raise self._refuse(records, "large", "integers of 64 bits", "Pass types => {}=string to keep them as text")
        return "bigint" if "integer" in seen else "string"

    def _refuse(
        self, records: Records, kind: str, expected: str, do: str, shown: tuple[str, Block, int] | None = None
    ) -> DataError:
        value, block, row = shown or self.seen[kind]
        return refused(records, self.name, expected, value, block, row, do.replace("{}", "{0}").format(self.name) + ".")


def refused(records: Records, column: str, expected: str, value: str, block: Block, row: int, do: str) -> DataError:
    """The error for a value, with its line."""
    line = next((number for i, (number, _) in enumerate(records.lines(block)) if i == row), block.line)
    return DataError.of(
        f"{records.what}.{column}",
        expected,
        f"{value.removeprefix(QUOTED)!r} in line {line} of {records.path.name}",
        do,
    )


def convert(
    values: pa.ChunkedArray, to: str, name: str, block: Block, records: Records, *, asked: bool
) -> pa.ChunkedArray:
    """The values in a type of SQL, exactly as they are where that is string; `asked` says that the user chose it, not
    `Column.type`.

    Raises
    ------
    DataError
        A value is not of the type that was asked for; with the line.
    """
    if b'"' in block.raw:
        values = pc.replace_substring(values, QUOTED, "")
    if to == "string":
        return values
    if not asked:
        return pc.cast(values, TYPES[to])
    array = pc.utf8_trim_whitespace(values.combine_chunks())
    fits = (
        pc.match_substring_regex(array, r"^[+-]?[0-9]+$")
        if to == "bigint"
        else pc.or_(pc.match_substring_regex(array, _LIKE_A_NUMBER), pc.is_in(array, _not_finite()))
    )
    at = pc.index(fits, False).as_py()
    if at < 0:
        try:
            return pa.chunked_array([pc.cast(pc.utf8_ltrim(array, "+"), TYPES[to])])
        except pa.ArrowInvalid:
            at = next(i for i, v in enumerate(array.to_pylist()) if v is not None and not -(2**63) <= int(v) < 2**63)
    raise refused(
        records, name, f"{to} values", values[at].as_py(), block, at, f"Repair it, or pass types => {name}=string."
    )
