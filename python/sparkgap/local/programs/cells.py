# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Values as words of a text file and back: numbers as C and Java both read them, dates and times as ISO 8601 has them,
in UTC.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ...store_files.details import ddl

_INTEGER = r"^[+-]?[0-9]+$"
_INFINITE = r"(?i)^[+-]?inf(inity)?$"
_FINITE = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_NAN = r"(?i)^[+-]?nan$"
_DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_TIME = _DATE[:-1] + r"[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?"
_ZONED = _TIME + r"(Z|[+-][0-9]{2}:[0-9]{2})$"
_MOST_DECIMAL_LETTERS = 1000


def words(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The text of each value; nulls stay."""
    kind = ddl(column.type)
    if kind == "string":
        return column
    if kind in ("timestamp", "timestamp_ntz"):
        plain = column.cast(pa.timestamp("us")).cast(pa.string())
        text = pc.replace_substring(plain, " ", "T")
        return pc.binary_join_element_wise(text, "Z", "") if kind == "timestamp" else text
    return column.cast(pa.string())


def values(column: pa.ChunkedArray, kind: pa.DataType) -> tuple[pa.ChunkedArray | None, int]:
    """The values that words stand for, or None and the row of the first word that is none of that type."""
    if pa.types.is_string(kind):
        return column, -1
    quick = _plain_numbers(column, kind)
    if quick is not None:
        return quick, -1
    column = pc.utf8_trim_whitespace(column)
    fits = pc.fill_null(_fits(column, kind), True)
    first = pc.index(fits, False).as_py()
    if first >= 0:
        return None, first
    try:
        return _cast(column, kind), -1
    except pa.ArrowException:  # too large, or a day that there is not: look for it
        return None, _first_bad(column, kind)


def _plain_numbers(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray | None:
    """The numbers, where Arrow's own rule takes all words and cannot differ from ours: it reads hexadecimal integers,
    "nan(1)", and what is beyond the largest number as infinity.
    """
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        return None
    try:
        found = column.cast(kind)
    except pa.ArrowException:
        return None
    if pa.types.is_floating(kind):
        same = pc.all(pc.is_finite(found)).as_py() is not False
    else:
        same = not pc.any(pc.match_substring(column, "x", ignore_case=True)).as_py()
    return found if same else None


def _fits(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    """Whether each word has the form of such a value."""

    def like(pattern: str) -> Any:
        return pc.match_substring_regex(column, pattern)

    if pa.types.is_integer(kind):
        return like(_INTEGER)
    if pa.types.is_floating(kind):
        return pc.or_(like(_FINITE), pc.or_(like(_INFINITE), like(_NAN)))
    if pa.types.is_boolean(kind):
        return like("(?i)^(1|0|true|false)$")
    if pa.types.is_date(kind):
        return like(_DATE)
    if pa.types.is_timestamp(kind):
        return like(_ZONED if kind.tz else _TIME + "$")
    return pc.and_(like(_FINITE), pc.less(pc.utf8_length(column), _MOST_DECIMAL_LETTERS))


def _cast(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    if pa.types.is_integer(kind):
        return pc.utf8_ltrim(column, "+").cast(kind)
    if pa.types.is_floating(kind):
        return _floats(column, kind)
    if pa.types.is_boolean(kind):
        return pc.utf8_lower(column).cast(kind)
    if pa.types.is_timestamp(kind):
        return column.cast(kind)
    if pa.types.is_decimal(kind):
        import decimal

        context = decimal.Context(prec=_MOST_DECIMAL_LETTERS)
        return pa.chunked_array([[v and _fitting(decimal.Decimal(v), kind, context) for v in column.to_pylist()]], kind)
    return column.cast(kind)


def _fitting(value: Any, kind: pa.DataType, context: Any) -> Any:
    """The decimal at its type's scale. Errors: ArrowInvalid where digits would be lost."""
    import decimal

    if not value:
        return decimal.Decimal(0).scaleb(-kind.scale)
    whole = value.adjusted() + 1
    digits = len("".join(map(str, value.as_tuple().digits)).rstrip("0"))
    if whole > kind.precision - kind.scale or digits - whole > kind.scale:
        raise pa.ArrowInvalid(str(value))
    return value.quantize(decimal.Decimal(1).scaleb(-kind.scale), context=context)


def _floats(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    """Numbers beyond the largest are refused, not read as infinity."""
    infinite, not_one = pc.match_substring_regex(column, _INFINITE), pc.match_substring_regex(column, _NAN)
    plain = pc.if_else(not_one, "nan", pc.utf8_ltrim(column, "+"))
    plain = pc.if_else(infinite, pc.if_else(pc.starts_with(column, "-"), "-inf", "inf"), plain)
    found = plain.cast(kind)
    if pc.any(pc.and_(pc.is_inf(found), pc.invert(infinite))).as_py():
        raise pa.ArrowInvalid("a number beyond the largest")
    return found


def _first_bad(column: pa.ChunkedArray, kind: pa.DataType) -> int:
    """The first row whose word cannot be cast, by halves."""
    first, last = 0, len(column)
    while last - first > 1:
        middle = (first + last) // 2
        try:
            _cast(column.slice(first, middle - first), kind)
            first = middle
        except pa.ArrowException:
            last = middle
    return first
