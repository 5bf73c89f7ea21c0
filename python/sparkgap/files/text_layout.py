# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""How a text file is laid out: its delimiter, its columns, and whether its first line names them. docs/files.md has the
rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from ..errors import ArgumentError, DataError
from .text_columns import Column
from .text_options import TextOptions
from .text_records import QUOTED, Block, Records

OTHER_DELIMITERS = ";\t|"
_NUMBER = re.compile(r"-?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


@dataclass(frozen=True)
class Layout:
    """The columns of a text file, and the rows below its header, if it has one."""

    records: Records
    columns: list[str]
    header: bool

    def blocks(self) -> Iterator[Block]:
        """The blocks of rows, from the first row on."""
        blocks = self.records.blocks()
        found = _first(self.records, blocks)
        if found is None:
            return
        block, size, _ = found
        if self.header:
            block = Block(block.raw[size:], block.line_at(size))
        yield from chain([block] if block.raw else [], blocks)


def layout(
    path: Path, names: Sequence[str], needed: Sequence[str], how: TextOptions, *, delimiter: str, what: str
) -> Layout:
    """How to read a text file whose name says `delimiter`.

    Parameters
    ----------
    names : sequence of str
        The columns of a file without a header, in order; more columns are called c3, c4, ...
    needed : sequence of str
        The columns that are needed.

    Raises
    ------
    ArgumentError
        Its first line may be names or values, or may be split in two ways; the advice has the words to add.
    DataError
        There is no row, or the first one cannot be read.
    """
    if how.delimiter is not None:
        return _with(Records(path, what, how.delimiter), names, needed, how)
    named = Records(path, what, delimiter)
    if delimiter != ",":
        return _with(named, names, needed, how)
    fields = _fields(named)[2]
    outside = "".join(f for f in fields if not f.startswith(QUOTED))
    others = [replace(named, delimiter=d) for d in OTHER_DELIMITERS if d in outside]
    if not others:
        return _with(named, names, needed, how)
    if len(fields) > 1:
        others.append(named)
    fitting = [r for r in others if _certain(_fields(r)[2], needed, how)]
    if len(fitting) != 1:
        words = ", ".join({"\t": "tab"}.get(r.delimiter, repr(r.delimiter)) for r in others)
        said = (
            f"{words} in {' '.join(_shown(fields))}"
            if len(others) > 1
            else f"{words} and no comma in {_shown(fields)[0]}"
        )
        raise ArgumentError.of(
            what,
            f"one delimiter in line {_fields(named)[0]} of {path.name}",
            said,
            f"Pass delimiter => {_word(others[0].delimiter)} or another.",
        )
    return _with(fitting[0], names, needed, how)


def _with(records: Records, names: Sequence[str], needed: Sequence[str], how: TextOptions) -> Layout:
    line, rest, fields = _fields(records)
    width = len(fields)
    if width < len(needed):
        do = (
            f"Repair the file, or pass delimiter => {_word(',' if records.delimiter != ',' else ';')} or another that"
            " stands between its values."
        )
        raise DataError.of(
            f"{records.what}.{needed[width]}",
            f"{len(needed)} values on each line of {records.path.name} ({', '.join(needed)})",
            f"{width} in line {line}",
            do,
        )
    if how.header if how.header is not None else _is_header(records, fields, names, needed, line, rest):
        titles = _titles(records, fields, line)
        return Layout(replace(records, width=len(titles)), titles, True)
    if (
        not records.delimiter
        and width > len(names) > 0
        and (word := next((f for f in fields[len(names) :] if not _NUMBER.fullmatch(f)), None))
    ):
        raise DataError.of(
            records.what,
            f"words for {', '.join(names)}, or numbers behind them",
            f"{word!r} in line {line} of {records.path.name}, split at blanks",
            "Name the file .tsv or .csv if its values hold blanks.",
        )
    return Layout(
        replace(records, width=width), [*names, *(f"c{i + 1}" for i in range(len(names), width))][:width], False
    )


def _is_header(
    records: Records, fields: list[str], names: Sequence[str], needed: Sequence[str], line: int, rest: Block
) -> bool:
    """Whether the first line names the columns, if the user does not say so: decided only if there is one reading."""
    if needed and set(needed) <= set(map(_plain, fields)):
        return True
    values = [f for f in fields if f]
    if values and all(map(_NUMBER.fullmatch, values)):
        return False
    if all(f and not _NUMBER.fullmatch(f) for f in fields) and any(
        c.numbers for c in _below(records, rest, len(fields))
    ):
        return True
    first = ", ".join(_shown(fields))
    do = "Pass header => true if they are names, header => false if they are the first row"
    wanted = f" (and name {', '.join(needed)} if they are called otherwise)" if needed else ""
    raise ArgumentError.of(
        records.what,
        f"a first line that can only be names or only be a row in {records.path.name}",
        f"{first} in line {line}",
        f"{do}{wanted}.",
    )


def _below(records: Records, rest: Block, width: int) -> list[Column]:
    columns = [Column(str(i)) for i in range(width)]
    table = records.parse(rest, [c.name for c in columns])
    for column in columns:
        column.look(table[column.name], rest, quotes=b'"' in rest.raw)
    return columns


def _certain(fields: list[str], needed: Sequence[str], how: TextOptions) -> bool:
    """Whether a delimiter makes sense of the first line: it names what is needed, or holds numbers alone."""
    if needed and set(needed) <= set(map(_plain, fields)) and how.header is not False:
        return True
    return how.header is not True and len(fields) >= max(2, len(needed)) and all(_NUMBER.fullmatch(f) for f in fields)


def _titles(records: Records, fields: list[str], line: int) -> list[str]:
    titles = [_plain(f) or f"c{i + 1}" for i, f in enumerate(fields)]
    seen: dict[str, str] = {}
    for title in titles:
        if title != title.strip():
            raise records.refuse("names without blanks around them", repr(title), line, "Remove the blanks.")
        if title.lower() in seen:
            raise records.refuse(
                "columns of different names, whatever their case",
                f"{seen[title.lower()]!r} and {title!r}",
                line,
                "Rename one.",
            )
        seen[title.lower()] = title
    return titles


def _fields(records: Records) -> tuple[int, Block, list[str]]:
    """The first line that is no comment: its number, what is below it in its block, and its values."""
    found = _first(records, records.blocks())
    if found is None:
        raise DataError.of(records.what, "at least one row", f"none in {records.path}", "Give a file with data.")
    block, size, fields = found
    return block.line, Block(block.raw[size:], block.line_at(size)), fields


def _first(records: Records, blocks: Iterator[Block]) -> tuple[Block, int, list[str]] | None:
    """The block that begins with the first row or header, that one's length in bytes, and its values; comments above it
    are skipped.
    """
    above: list[Block] = []
    for block in blocks:
        for number, record in records.first_lines(block):
            if records.is_comment(record) or record.startswith(b"#"):
                above.append(Block(record, number))
                continue
            begin = _offset(block, number)
            end = block.raw.find(b"\n", begin + len(record)) + 1 or len(block.raw)
            fields = records.split(Block(record, number))
            _check_above(records, above, number, len(fields))
            return Block(block.raw[begin:], number), end - begin, fields
    return None


def _check_above(records: Records, above: list[Block], line: int, width: int) -> None:
    """Refuse a comment that may be a row or a header, and an empty line that may be a row."""
    for comment in above:
        if not records.delimiter:
            replace(records, width=width).comment(comment.raw, lambda line=comment.line: line)  # type: ignore[misc]
        elif comment.raw.count(records.delimiter.encode()) + 1 == width:
            said = repr(comment.raw[:60].decode("utf-8", "replace"))
            raise records.refuse(
                "a comment that cannot be a row or a header", said, comment.line, "Remove the line, or its sign."
            )
    if records.delimiter and width == 1 and line != len(above) + 1:
        raise records.refuse("a header or a value", "nothing", 1, "Remove the line.")


def _offset(block: Block, line: int) -> int:
    at = 0
    for _ in range(line - block.line):
        at = block.raw.index(b"\n", at) + 1
    return at


def _plain(text: str) -> str:
    return text.removeprefix(QUOTED)


def _shown(fields: Sequence[str]) -> list[str]:
    return [repr(_plain(f)[:40]) for f in fields[:6]]


def _word(delimiter: str) -> str:
    word = {"\t": "tab", "": "blank"}.get(delimiter, delimiter)
    return f"'{word}'"
