# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Text files of programs: fields between separators (RFC 4180), or words between blanks.

Blocks without quotes, comments and lone CRs, which is nearly all that programs write, go through Arrow's reader as
strings. The rest, and every block in which something is wrong, is read field by field: about 10 MB per second, and it
knows the line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import IO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from ...errors import DataError
from ...store_files.details import ddl
from . import cells
from .formats import Format
from .output_file import OutputFile, count

_BLOCK = 8 << 20
_ROWS = 1 << 16
_SEPARATORS = {"csv": ",", "tsv": "\t", "text": " "}
_BYTE_ORDER = b"\xef\xbb\xbf"
_TO_BLANK = bytes.maketrans(b"\t\v\f\r", b"    ")
_Row = tuple[int, list[bytes | None]]  # its line, and its fields; None where nothing stood, not even quotes


# --- writing


def write(where: str, table: pa.Table, form: Format, file: IO[bytes]) -> None:
    """A line per row. Errors: DataError for a value that is no word, by its row."""
    separator = _SEPARATORS[form.kind]
    if form.option:
        names = pa.chunked_array([table.column_names])
        file.write(separator.join((names if form.kind == "text" else _quoted(names, separator)).to_pylist()).encode())
        file.write(b"\n")
    if form.kind == "text":
        _check_words(where, table)
    for first in range(0, table.num_rows, _ROWS):
        part = table.slice(first, _ROWS)
        columns = [cells.words(column) for column in part.columns]
        if form.kind != "text":
            columns = [
                _quoted(words, separator) if pa.types.is_string(column.type) else words
                for words, column in zip(columns, part.columns, strict=True)
            ]
        lines = pc.binary_join_element_wise(*columns, separator, null_handling="replace", null_replacement="")
        file.write("\n".join([*lines.to_pylist(), ""]).encode())


def _quoted(words: pa.ChunkedArray, separator: str) -> pa.ChunkedArray:
    """Quotes around words that need them, also around the empty one, which else would be a null."""
    needs = pc.or_(pc.equal(words, ""), pc.match_substring_regex(words, f'[{separator}"\r\n]'))
    if not pc.any(needs).as_py():
        return words
    inner = pc.replace_substring(words, '"', '""')
    return pc.if_else(needs, pc.binary_join_element_wise('"', inner, '"', ""), words)


def _check_words(where: str, table: pa.Table) -> None:
    for c, (name, column) in enumerate(zip(table.column_names, table.columns, strict=True)):
        if column.null_count:
            row = pc.index(column.is_null(), True).as_py()
            do = "Fill or drop nulls, or choose csv."
            raise DataError.of(f"{where}.{name}, row {row + 1}", "a value", "a null", do)
        if pa.types.is_string(column.type):
            _check_strings(where, name, column, is_first=c == 0)


def _check_strings(where: str, name: str, column: pa.ChunkedArray, *, is_first: bool) -> None:
    blank = r"[\x00-\x20\x{85}\p{Z}]|^$"
    for pattern, expected in [
        (blank, "a word without blanks"),
        *([("^#", "a first word that does not begin with #, as comments do")] if is_first else []),
    ]:
        row = pc.index(pc.match_substring_regex(column, pattern), True).as_py()
        if row >= 0:
            word = column[row].as_py()
            found = repr(re.sub(r"[\x00-\x1f\x7f-\x9f]", "?", word[:60])) if word else "an empty one"
            raise DataError.of(f"{where}.{name}, row {row + 1}", expected, found, "Replace it, or choose csv.")


# --- reading


def read(file: OutputFile, form: Format, schema: pa.Schema) -> pa.Table:
    """The rows of a file. Errors: DataError with the line and the column."""
    tables, header, separator = [], bool(form.option), _SEPARATORS[form.kind]
    with open(file.path, "rb") as stream:
        for block, line in _blocks(stream, quotes=form.kind != "text"):
            if header:
                first, block, line = _first_row(file, form, block, line)
                if first is None:
                    continue
                _check_header(file, schema, first, separator)
                header = False
            tables.append(read_block(file, form.kind, schema, block, line))
    return pa.concat_tables(tables) if tables else schema.empty_table()


def read_block(
    file: OutputFile, kind: str, schema: pa.Schema, block: bytes, line: int, comment: bytes = b"#"
) -> pa.Table:
    """The rows of whole lines, of which the first has that number. Errors: DataError."""

    def rows() -> list[_Row]:
        found = _words(block, line, comment) if kind == "text" else _fields(file, kind, block, line)
        return list(_checked(file, len(schema), found))

    strings = _by_arrow(block, kind, len(schema), comment)
    slow = None if strings is not None else rows()
    if strings is None:
        strings = _strings(file, slow or [], len(schema))
    columns = []
    for c, field in enumerate(schema):
        column, bad = cells.values(strings[c], field.type)
        if not field.nullable and strings[c].null_count and (bad < 0 or strings[c].slice(0, bad).null_count):
            at = (slow or rows())[pc.index(strings[c].is_null(), True).as_py()][0]
            expected = f"{ddl(field.type)} for {field.name} that is not null"
            raise file.refused(f" line {at}, column {field.name}", expected, "nothing")
        if column is None:
            at, found = (slow or rows())[bad][0], strings[c][bad].as_py()[:60]
            raise file.refused(f" line {at}, column {field.name}", f"{ddl(field.type)} for {field.name}", f"'{found}'")
        columns.append(column)
    return pa.table(columns, schema=schema)


def _blocks(stream: IO[bytes], *, quotes: bool) -> Iterator[tuple[bytes, int]]:
    """Whole lines, and the number of the first. From the first block with quotes on, the rest is one block."""
    rest, line = b"", 1
    while chunk := stream.read(_BLOCK):
        rest += chunk
        if quotes and b'"' in rest:
            yield rest + stream.read(), line
            return
        cut = rest.rfind(b"\n") + 1
        if cut:
            yield rest[:cut], line
            line += rest.count(b"\n", 0, cut)
            rest = rest[cut:]
    if rest:
        yield rest, line


def _by_arrow(block: bytes, kind: str, width: int, comment: bytes) -> list[pa.ChunkedArray] | None:
    """The columns as strings; None where only a look at each field can tell them."""
    if block.startswith(_BYTE_ORDER):  # Arrow's reader leaves it out
        return None
    if kind == "text":
        if comment in block:
            return None
        block = _single_blanks(block)
    elif b'"' in block or block.count(b"\r") != block.count(b"\r\n"):
        return None
    if (not block.strip(b"\r\n") and width > 1) or not block or (kind == "text" and not block.strip()):
        return [pa.chunked_array([], pa.string()) for _ in range(width)]
    names = [str(c) for c in range(width)]
    try:
        table = pacsv.read_csv(
            pa.py_buffer(block),
            read_options=pacsv.ReadOptions(column_names=names, block_size=max(1 << 20, len(block) + 1)),
            parse_options=pacsv.ParseOptions(
                delimiter=_SEPARATORS[kind], quote_char=False, ignore_empty_lines=width > 1 or kind == "text"
            ),
            convert_options=pacsv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()), null_values=[""], strings_can_be_null=True
            ),
        )
    except pa.ArrowException:
        return None
    return list(table.columns)


def _single_blanks(block: bytes) -> bytes:
    """The words of each line with one blank between, none before and behind."""
    block = block.translate(_TO_BLANK)
    while b"  " in block:
        block = block.replace(b"  ", b" ")
    return block.replace(b" \n", b"\n").replace(b"\n ", b"\n").strip(b" ")


def _checked(file: OutputFile, width: int, rows: Iterator[_Row]) -> Iterator[_Row]:
    for line, fields in rows:
        if fields == [None] and width > 1:  # a blank line
            continue
        if len(fields) != width:
            raise file.refused(f" line {line}", count(width), count(len(fields)))
        yield line, fields


def _strings(file: OutputFile, rows: list[_Row], width: int) -> list[pa.ChunkedArray]:
    columns: list[pa.ChunkedArray] = []
    for c in range(width):
        values: list[str | None] = []
        for line, fields in rows:
            word = fields[c]
            try:
                values.append(None if word is None else word.decode())
            except UnicodeDecodeError as e:
                found = f"the byte {e.object[e.start]:#04x}"
                raise file.refused(f" line {line}", "text in UTF-8", found) from None
        columns.append(pa.chunked_array([values], pa.string()))
    return columns


def _fields(file: OutputFile, kind: str, data: bytes, line: int) -> Iterator[_Row]:
    """The records of separated text. Errors: DataError for quotes that do not end, or text behind them."""
    separator = _SEPARATORS[kind].encode()
    plain_field = rb'((?!\r\n)[^"\n' + separator + rb"][^\n" + separator + rb"]*?)?"
    field = re.compile(rb'(?:"((?:[^"]|"")*)"|' + plain_field + rb")(" + separator + rb"|\r?\n|\Z)")
    fields: list[bytes | None] = []
    at, begin = 0, line
    while at < len(data) or fields:
        found = field.match(data, at)
        if found is None:
            opened = data.count(b'"', at) % 2 == 1
            form = ("quotes that end", "none before the end of the file")
            raise file.refused(
                f" line {begin}", *(form if opened else ("quotes around whole fields", "text behind their end"))
            )
        quoted, plain, end = found.groups()
        fields.append(quoted.replace(b'""', b'"') if quoted is not None else plain or None)
        line += found[0].count(b"\n")
        at = found.end()
        if end != separator:
            yield begin, fields
            begin, fields = line, []
            if not end.endswith(b"\n"):
                return


def _words(data: bytes, line: int, comment: bytes) -> Iterator[_Row]:
    """The words of each line that is neither blank nor a comment."""
    for number, text in enumerate(data.split(b"\n"), line):
        words: list[bytes | None] = [*text.split()]
        if words and not (words[0] or b"").startswith(comment):
            yield number, words


def _first_row(file: OutputFile, form: Format, block: bytes, line: int) -> tuple[_Row | None, bytes, int]:
    """The row of the header, and what is behind it."""
    found = _words(block, line, b"#") if form.kind == "text" else _fields(file, form.kind, block, line)
    first = next(found, None)
    if first is None:
        return None, b"", line
    behind = next(found, None)
    if behind is None:
        return first, b"", line
    skipped = behind[0] - line
    return first, block.split(b"\n", skipped)[skipped], behind[0]


def _check_header(file: OutputFile, schema: pa.Schema, row: _Row, separator: str) -> None:
    found = [(name or b"").decode(errors="replace") for name in row[1]]
    if found != schema.names:
        expected = f"the header {separator.join(schema.names)}"
        raise file.refused(f" line {row[0]}", expected, separator.join(found)[:200])
