# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The columns of an output, given as Spark's DDL or as a schema of Arrow."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ...errors import ArgumentError
from ...store_files.details import ddl

if TYPE_CHECKING:
    import pyarrow as pa

_TOKEN = re.compile(r"\s*(`(?:[^`]|``)+`|[A-Za-z0-9_]+|[<>(),:])")
_SAME = {"integer": "int", "long": "bigint", "short": "smallint", "byte": "tinyint", "real": "float",
         "dec": "decimal", "numeric": "decimal", "timestamp_ltz": "timestamp"}  # fmt: skip
_MOST_DIGITS = 38


def columns(where: str, given: Any) -> pa.Schema:
    """The schema that DDL such as "i bigint, s double not null" means.

    Parameters
    ----------
    where : str
        For errors.
    given : str or pyarrow.Schema
        A schema must have types of store/FORMAT.md.

    Raises
    ------
    ArgumentError
        It is neither, has no column, or two of one name.

    Examples
    --------
    >>> columns("outputs.o", "i bigint, `a b` array<double> not null").names
    ['i', 'a b']
    """
    import pyarrow as pa

    if isinstance(given, str):
        found = _Ddl(where, given).schema()
    elif isinstance(given, pa.Schema):
        found = given
        for field in found:
            if field.type != _type_of(ddl(field.type)):
                do = "Declare another."
                raise ArgumentError.of(f"{where}.{field.name}", "a type that the store keeps", str(field.type), do)
    else:
        do = "Give one of these."
        raise ArgumentError.of(where, "DDL such as 'i bigint, s double', or a pyarrow.Schema", repr(given), do)
    if not found.names:
        raise ArgumentError.of(where, "at least one column", "none", "Write for example 'i bigint, s double'.")
    twice = [name for name in found.names if found.names.count(name) > 1]
    if twice:
        raise ArgumentError.of(where, "columns of different names", f"{twice[0]!r} twice", "Rename one.")
    return found


def _type_of(text: str) -> pa.DataType | None:
    """The type that the text names as a whole; None where it names none."""
    try:
        return _Ddl("", f"c {text}").schema().field(0).type
    except ArgumentError:
        return None


class _Ddl:
    """A reader of one text, token by token."""

    def __init__(self, where: str, text: str) -> None:
        self._where, self._text, self._at = where, text, 0
        self._tokens: list[str] = []
        at = 0
        while text[at:].strip():
            found = _TOKEN.match(text, at)
            if found is None:
                raise self._refused()
            self._tokens.append(found[1])
            at = found.end()

    def schema(self) -> pa.Schema:
        import pyarrow as pa

        fields: list[pa.Field] = []
        while self._at < len(self._tokens):
            if fields:
                self._expect(",")
            fields.append(self._field(colon=False))
        return pa.schema(fields)

    def _field(self, *, colon: bool) -> pa.Field:
        import pyarrow as pa

        name = self._name()
        if self._peek() == ":":
            self._next()
        elif colon:
            raise self._refused()
        kind = self._type()
        return pa.field(name, kind, self._nullable())

    def _nullable(self) -> bool:
        if self._peek().lower() != "not":
            return True
        self._next()
        if self._next().lower() != "null":
            raise self._refused()
        return False

    def _type(self) -> pa.DataType:
        import pyarrow as pa

        word = self._next().lower()
        word = _SAME.get(word, word)
        if word == "array":
            self._expect("<")
            inner = pa.list_(pa.field("element", self._type(), self._nullable()))
            self._expect(">")
            return inner
        if word == "struct":
            self._expect("<")
            fields = [self._field(colon=True)]
            while self._peek() == ",":
                self._next()
                fields.append(self._field(colon=True))
            self._expect(">")
            return pa.struct(fields)
        if word == "decimal":
            return self._decimal()
        from ...program import arrow_type

        found = arrow_type(word)
        if found is None:
            raise self._refused()
        return found

    def _decimal(self) -> pa.DataType:
        import pyarrow as pa

        digits = [10, 0]
        if self._peek() == "(":
            self._next()
            digits = [self._number(), 0]
            if self._peek() == ",":
                self._next()
                digits[1] = self._number()
            self._expect(")")
        if not 1 <= digits[0] <= _MOST_DIGITS or digits[1] > digits[0]:
            raise self._refused()
        return pa.decimal128(*digits)

    def _number(self) -> int:
        word = self._next()
        if not word.isdecimal():
            raise self._refused()
        return int(word)

    def _name(self) -> str:
        word = self._next()
        if word.startswith("`"):
            return word[1:-1].replace("``", "`")
        if not re.fullmatch(r"\w+", word):
            raise self._refused()
        return word

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _next(self) -> str:
        word = self._peek()
        if not word:
            raise self._refused()
        self._at += 1
        return word

    def _expect(self, word: str) -> None:
        if self._next() != word:
            raise self._refused()

    def _refused(self) -> ArgumentError:
        do = "Write it as in CREATE TABLE."
        return ArgumentError.of(self._where, "columns such as 'i bigint, s double'", repr(self._text), do)
