# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The bytes of a text file, cut into blocks of whole records and made ready for `pyarrow.csv`. docs/files.md has the
rules.

A block never holds more than `BLOCK` bytes, unless one record does. Quotes are looked at here and not by Arrow, because
Arrow does not say which values stood in quotes: each such value gets the byte 0 in front, which a file itself may not
hold.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from ..errors import DataError
from .text_options import COMPRESSIONS
from .text_reader import read_strings, read_typed, text_length

BLOCK = 8 << 20
_HEAD = 1 << 12
LONGEST = 256 << 20  # of one record, and so of one value in quotes
QUOTED = "\0"
_BOM = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True)
class Block:
    """Whole records: the bytes of the file, and the number of the line in it with which they begin."""

    raw: bytes
    line: int

    def line_at(self, byte: int) -> int:
        """The number of the line that holds this byte."""
        return self.line + self.raw.count(b"\n", 0, byte)


@dataclass(frozen=True)
class Records:
    """How the lines of a file are split: by one character, with quotes as in RFC 4180, or at blanks (`delimiter` is
    "").
    """

    path: Path
    what: str
    delimiter: str
    width: int = 0  # of a row, where it is known

    def blocks(self) -> Iterator[Block]:
        """The file from its first record on, comments at the top left out where the format has any.

        Raises
        ------
        DataError
            It cannot be read, or its bytes are no text of this kind; with the line.
        """
        line, rest, begun = 1, b"", False
        for chunk in self._chunks():
            rest += chunk
            cut = self._whole(rest)
            if not cut:
                if len(rest) > LONGEST:
                    raise self.refuse(
                        f"lines of at most {LONGEST >> 20} MiB",
                        "a longer one" if self._quote_open(rest) is None else "quotes that do not end",
                        line,
                        "Repair the file.",
                    )
                continue
            yield Block(rest[:cut], line)
            begun = True
            line += rest.count(b"\n", 0, cut)
            rest = rest[cut:]
        if rest or not begun:
            yield Block(rest, line)

    def _chunks(self) -> Iterator[bytes]:
        compression = COMPRESSIONS.get(self.path.suffix.lower())
        try:
            with pa.input_stream(str(self.path), compression=compression) as stream:
                first = True
                while chunk := stream.read(BLOCK):
                    if first and chunk.startswith(_UTF16):
                        raise self.refuse(
                            "text in UTF-8", "UTF-16", 1, "Convert it, for example with iconv -f utf-16 -t utf-8."
                        )
                    yield chunk.removeprefix(_BOM) if first else chunk
                    first = False
        except (OSError, pa.ArrowException) as e:
            said = str(e).splitlines()[0].rstrip(".")
            raise DataError.of(
                self.what,
                f"a file that can be read{f' as {compression}' if compression else ''}",
                f"{self.path}: {said}",
                "Check the file.",
            ) from None

    def _whole(self, data: bytes) -> int:
        """How many of the bytes are whole records."""
        cut = data.rfind(b"\n") + 1
        while cut and self.delimiter and data.count(b'"', 0, cut) % 2:  # that line end stands in quotes
            cut = data.rfind(b"\n", 0, data.rfind(b'"', 0, cut)) + 1
        return cut

    def _quote_open(self, data: bytes) -> int | None:
        """Where the first quote is that opens and closes nothing."""
        at = self._blanked(data).find(b'"')
        return None if at < 0 else at

    @property
    def _quoted(self) -> re.Pattern[bytes]:
        ends = rb"[^" + re.escape(self.delimiter.encode()) + rb"\r\n]"
        return re.compile(rb"(?<!" + ends + rb')"([^"]*(?:""[^"]*)*)"(?!' + ends + rb")")

    def _blanked(self, data: bytes) -> bytes:
        """The same number of bytes, with what is in quotes, and its line ends, out of sight."""
        if not self.delimiter or b'"' not in data:
            return data
        return self._quoted.sub(lambda m: b"_" * len(m[0]), data)

    def clean(self, block: Block) -> bytes:
        """The block as `parse` takes it.

        Raises
        ------
        DataError
            Bytes that have two readings, or none; with the line.
        """
        return self._clean_delimited(block) if self.delimiter else self._clean_list(block)

    def _clean_delimited(self, block: Block) -> bytes:
        quick = self._marked_quickly(block.raw)
        outside = quick[1] if quick else self._quoted.sub(b"_", block.raw)
        self._check(block, outside)
        if b'"' in outside:
            raise self._refuse_quote(block)
        if outside.startswith(b"#") or b"\n#" in outside:
            seen = self._blanked(block.raw)
            at = 0 if seen.startswith(b"#") else seen.index(b"\n#") + 1
            raise self.refuse(
                "rows under the first one",
                f"{_start(block.raw[at:])}, a comment or a value",
                block.line_at(at),
                "Remove the line, or put its first value in quotes.",
            )
        return quick[0] if quick else self._quoted.sub(rb'"\0\1"', block.raw)

    def _marked_quickly(self, raw: bytes) -> tuple[bytes, bytes] | None:
        """The bytes with the mark in each value in quotes, and what is outside of quotes; None where only a look at
        each value can tell.

        Ten times as fast as that. It needs every quote behind a delimiter to open a value, and every second quote to
        stand before one.
        """
        if b'"' not in raw:
            return raw, raw
        if b'""' in raw or b"\0" in raw:
            return None
        between = self.delimiter.encode()
        marked = raw.replace(between + b'"', between + b'"\0').replace(b'\n"', b'\n"\0')
        if raw.startswith(b'"'):
            marked = b'"\0' + marked[1:]
        outer = marked.split(b'"')[::2]
        outside, pairs = b'"'.join(outer), len(outer) - 1
        closed = (
            outside.count(b'"' + between) + outside.count(b'"\n') + outside.count(b'"\r\n') + outside.endswith(b'"')
        )
        if marked.count(b'"') != 2 * pairs or marked.count(b"\0") != pairs or b"\0" in outside or closed != pairs:
            return None
        return marked, outside.replace(b'"', b"_")

    def _refuse_quote(self, block: Block) -> DataError:
        at = self._quote_open(block.raw) or 0
        return self.refuse(
            'quotes around a whole value, and "" for one within',
            _start(block.raw[block.raw.rfind(b"\n", 0, at) + 1 :]),
            block.line_at(at),
            "Repair the line.",
        )

    def _check(self, block: Block, outside: bytes) -> None:
        if b"\0" in block.raw:
            raise self.refuse("text", "a byte 0", block.line_at(block.raw.index(b"\0")), "Check the file.")
        if b"\r" in outside and outside.count(b"\r") != outside.count(b"\r\n"):
            at = re.search(rb"\r(?!\n)", self._blanked(block.raw))
            raise self.refuse(
                "lines that end in LF or CR LF",
                "a CR alone",
                block.line_at(at.start() if at else 0),
                "Convert its line ends.",
            )

    def _clean_list(self, block: Block) -> bytes:
        data = block.raw
        self._check(block, data)
        if b"\r" in data:
            data = data.replace(b"\r\n", b"\n")
        if b"#" in data or b"%" in data:
            data = _COMMENT.sub(
                lambda m: self.comment(m[0], lambda: block.line + m.string.count(b"\n", 0, m.start())), data
            )
        if b"\t" in data and b" " in data and (both := _TABS_AND_BLANKS.search(data)):
            raise self.refuse(
                "words with either tabs or blanks between them",
                f"both in {_start(both[0])}",
                block.line + data.count(b"\n", 0, both.start()),
                "Name the file .tsv if its values hold blanks, else replace the tabs.",
            )
        if b" " in data:
            data = data.replace(b" ", b"\t")
        if b"\t\t" in data:
            data = re.sub(rb"\t+", b"\t", data)
        if data.startswith(b"\t") or b"\n\t" in data or b"\t\n" in data or data.endswith(b"\t"):
            data = re.sub(rb"(?m)^\t|\t$", b"", data)
        if b'"' in data and (quote := re.search(rb'(?m)(?:^|\t)"', data)):
            raise self.refuse(
                "words without quotes in a list",
                _start(data[quote.start() :].lstrip()),
                block.line + data.count(b"\n", 0, quote.end()),
                "Name the file .csv or .tsv, where quotes have a meaning.",
            )
        return data

    def comment(self, text: bytes, line: Callable[[], int]) -> bytes:
        """Nothing, which is what a comment in a list is worth.

        Raises
        ------
        DataError
            It may be a row: a sign that is part of a word, and as many words as a row has.
        """
        words = text.split()
        if words[0].strip(b"#%") and len(words) == self.width:
            raise self.refuse(
                "a blank behind the sign of a comment",
                f"{_start(text)}, which may be a row,",
                line(),
                "Put a blank there; write values that begin with the sign as .csv or .tsv.",
            )
        return b""

    def parse(self, block: Block, names: list[str]) -> pa.Table:
        """The block as a table of strings; a value that stood in quotes begins with the byte 0, an empty one without
        quotes is null.

        Raises
        ------
        DataError
            A line with more or fewer values, one that is not UTF-8, bytes that have two readings; with the line.
        """
        try:
            return read_strings(
                self.clean(block),
                names,
                self.delimiter or "\t",
                quotes=bool(self.delimiter),
                empty_rows=bool(self.delimiter) and len(names) == 1,
            )
        except pa.ArrowInvalid as e:
            raise self._explain(block, names, e) from None

    def with_integers(self, block: Block, names: list[str], integers: Collection[str]) -> pa.Table | None:
        """As `parse`, but those columns as integers, where each of their values is one as machines write it; else None.

        Ten times as fast as a look at each value. Arrow's reader also takes 007 and blanks around a number; but all of
        that is longer than the integer that it stands for, so the length of the whole tells. Not so 0xFFFFFFFF, which
        it takes, too.

        Raises
        ------
        DataError
            Bytes that have two readings; with the line.
        """
        if b'"' in block.raw or not block.raw:
            return None
        data = self.clean(block)
        if b"0x" in data or b"0X" in data:
            return None
        kinds = [pa.int64() if name in integers else pa.string() for name in names]
        try:
            table = read_typed(data, kinds, self.delimiter or "\t").rename_columns(names)
        except pa.ArrowInvalid:
            return None
        if table.num_rows == 0 or any(column.null_count for column in table.columns):
            return None
        ends = table.num_rows * len(names) - (not data.endswith(b"\n")) + data.count(b"\r")
        return table if len(data) == ends + sum(map(text_length, table.columns)) else None

    def _explain(self, block: Block, names: list[str], error: Exception) -> DataError:
        """Which line it was: Arrow does not say."""
        for number, record in self.lines(block):
            try:
                record.decode("utf-8")
            except UnicodeDecodeError as e:
                return self.refuse(
                    "text in UTF-8",
                    f"the byte {record[e.start]:#04x}",
                    number,
                    "Convert the file, for example with iconv.",
                )
            width = len(self.split(Block(record, number))) if names else 0
            if width != len(names):
                where = self.what if width > len(names) else f"{self.what}.{names[width]}"
                expected = f"{len(names)} value{'s' * (len(names) > 1)} on each line of {self.path.name}"
                return DataError.of(
                    where,
                    expected,
                    f"{width} in line {number}",
                    "Repair the line"
                    + (", or put values that hold the delimiter in quotes." if self.delimiter else "."),
                )
        return DataError.of(self.what, "text that can be read", f"{self.path}: {error}", "Check the file.")

    def split(self, block: Block) -> list[str]:
        """The values of one record; one that stood in quotes begins with the byte 0."""
        try:
            table = read_strings(self.clean(block) + b"\n", None, self.delimiter or "\t", quotes=bool(self.delimiter))
        except pa.ArrowInvalid as e:
            raise self._explain(block, [], e) from None
        return [column[0].as_py() or "" for column in table.columns]

    def lines(self, block: Block, *, comments: bool = False) -> Iterator[tuple[int, bytes]]:
        """Each record with the number of its first line; an empty line is one where a row has one value only, the
        comment of a list is none.
        """
        number, begin = block.line, 0
        empty = bool(self.delimiter) and self.width == 1
        for length in map(len, self._blanked(block.raw).split(b"\n")):
            record = block.raw[begin : begin + length].rstrip(b"\r")
            if ((record if self.delimiter else record.strip()) or empty) and (comments or not self.is_comment(record)):
                yield number, record
            number += 1 + record.count(b"\n")
            begin += length + 1

    def first_lines(self, block: Block) -> Iterator[tuple[int, bytes]]:
        """The same with comments, a small part of the block at a time: most callers end after a few."""
        begin, size, line = 0, _HEAD, block.line
        while begin < len(block.raw):
            rest = block.raw[begin : begin + size]
            cut = len(rest) if begin + size >= len(block.raw) else self._whole(rest)
            if cut:
                yield from self.lines(Block(rest[:cut], line), comments=True)
                line += rest.count(b"\n", 0, cut)
                begin += cut
            size *= 2

    def is_comment(self, record: bytes) -> bool:
        """Whether a line of a list is one."""
        return not self.delimiter and record.lstrip(b" \t").startswith((b"#", b"%"))

    def refuse(self, expected: str, found: str, line: int, do: str) -> DataError:
        """The error for what a line holds."""
        return DataError.of(self.what, expected, f"{found} in line {line} of {self.path.name}", do)


_COMMENT = re.compile(rb"(?m)^[ \t]*[#%][^\n]*")
_TABS_AND_BLANKS = re.compile(rb"(?m)^(?=[^\n]*\S[ ]*\t[ \t]*\S)[^\n]*\S +[^\s][^\n]*")


def _start(data: bytes) -> str:
    return repr(data.split(b"\n")[0][:60].decode("utf-8", "replace").rstrip("\r"))
