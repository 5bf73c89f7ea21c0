# Copyright 2026 the sparkgap authors. Over 400 lines: the rules of docs/files.md in their order.
# SPDX-License-Identifier: Apache-2.0
"""Files of text as tables, by the rules of docs/files.md; that Spark gets these tables is tested in
conformance/test_files.py.
"""

import bz2
import csv
import gzip
import io
import math
import os
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from sparkgap import errors
from sparkgap.errors import ArgumentError, DataError
from sparkgap.files import destinations, formats, outputs, text_columns
from sparkgap.files import text_records as records
from sparkgap.files.tables import read_table
from sparkgap.files.text import text as read_text
from sparkgap.files.text_options import TextOptions

NAMES = ["src", "dst", "weight"]
TYPES = {pa.int64(): "bigint", pa.float64(): "double", pa.string(): "string"}


def table(path, content, names=NAMES, needed=("src", "dst"), **how):
    """The same by block, and at once, which may keep the blocks of the first reading."""
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    options = {"needed": needed, "how": TextOptions.of(**how), "what": "edges"}
    schema, blocks = read_text(path, names, **options)
    found = pa.concat_tables(blocks)
    assert found.schema == schema
    assert repr(read_table(path, names, **options).to_pydict()) == repr(found.to_pydict())
    return found


def rows(found):
    return [tuple(row.values()) for row in found.to_pylist()]


def types(found):
    return {field.name: TYPES[field.type] for field in found.schema}


E, W, S = "bigint", "double", "string"


@pytest.mark.parametrize(
    ("name", "content", "columns", "expected"),
    [
        ("e.csv", "1,2\n2,3\n", {"src": E, "dst": E}, [(1, 2), (2, 3)]),
        ("e.csv", "src;dst;w\r\n1;2;0.5\r\n", {"src": E, "dst": E, "w": W}, [(1, 2, 0.5)]),
        ("e.csv", "1|2\n", {"src": E, "dst": E}, [(1, 2)]),
        ("e.csv", "# made today\n1,2,2.5,9\n", {"src": E, "dst": E, "weight": W, "c4": E}, [(1, 2, 2.5, 9)]),
        ("e.csv", "from,to\n1,2\n", {"from": E, "to": E}, [(1, 2)]),
        ("e.csv", "src,dst,2020\n1,2,5", {"src": E, "dst": E, "2020": E}, [(1, 2, 5)]),
        ("e.csv", '"src","dst"\n"1","2"\n', {"src": S, "dst": S}, [("1", "2")]),
        ("e.csv", 'src,dst\r\n"a,""b""","two\r\nlines"\r\n', {"src": S, "dst": S}, [('a,"b"', "two\r\nlines")]),
        ("e.csv", 'src,dst\n"",#1\n,"#2"\n', {"src": S, "dst": S}, [("", "#1"), (None, "#2")]),
        ("e.csv", "src,dst\n001,+1\n100,2\n", {"src": S, "dst": S}, [("001", "+1"), ("100", "2")]),
        (
            "e.csv",
            "src,dst,w\n1,2,1\n3,4,inf\n5,6,\n",
            {"src": E, "dst": E, "w": W},
            [(1, 2, 1.0), (3, 4, math.inf), (5, 6, None)],
        ),
        ("e.csv", f"src,dst\n{-(2**63)},{2**63 - 1}\n", {"src": E, "dst": E}, [(-(2**63), 2**63 - 1)]),
        ("e.csv", ",src,dst\n0,1,2\n", {"c1": E, "src": E, "dst": E}, [(0, 1, 2)]),
        ("e.csv", "\ufeffsrc,dst\n1,2\n", {"src": E, "dst": E}, [(1, 2)]),
        ("e.csv", "src,dst\nna\u00efve,na\u00efve x\n", {"src": S, "dst": S}, [("na\u00efve", "na\u00efve x")]),
        ("e.tsv", "src\tdst\nNew York\tParis\n", {"src": S, "dst": S}, [("New York", "Paris")]),
        ("e.tsv", "src\tdst\n\t\nann\t\n", {"src": S, "dst": S}, [(None, None), ("ann", None)]),
        ("e.tsv", "1\t2\n", {"src": E, "dst": E}, [(1, 2)]),
        ("e.txt", "# a\r\n1\t 2\r\n\r\n2 3\r\n", {"src": E, "dst": E}, [(1, 2), (2, 3)]),
        ("e.el", "% c\n 1   2 0.5 \n# 3 4\n3 4 1\n", {"src": E, "dst": E, "weight": W}, [(1, 2, 0.5), (3, 4, 1.0)]),
        ("e.snap", "# FromNodeId\tToNodeId\n0\t1\n", {"src": E, "dst": E}, [(0, 1)]),
        ("e.edges", "src dst\nann bob\n", {"src": S, "dst": S}, [("ann", "bob")]),
        ("e.txt", "1 2 3 4\n", {"src": E, "dst": E, "weight": E, "c4": E}, [(1, 2, 3, 4)]),
    ],
)
def test_one_reading(tmp_path, name, content, columns, expected):
    found = table(tmp_path / name, content)
    assert (types(found), rows(found)) == (columns, expected)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        (
            "e.csv",
            "ann,bob\n",
            ["edges: expected a first line that can only", "'ann', 'bob' in line 1", "header=True", "header=False"],
        ),
        ("e.csv", "# by me\nfrom,to,2020\n1,2,5\n", ["found 'from', 'to', '2020' in line 2"]),
        ("e.csv", "src,bob\nann,cho\n", ["header=False"]),
        ("e.txt", "from to\nann bob\n", ["header=True"]),
        ("e.tsv", "from\tto\nann\tbob\n", ["header=True"]),
        ("e.csv", "1,5;2,5\n", ["edges: expected one delimiter in line 1", "delimiter=';'"]),
        ("e.csv", "src|dst,x\nann|bob,1\n", ["expected one delimiter"]),
        (
            "e.csv",
            f"src,dst\n1,{2**63}\n",
            ["edges.dst: expected integers of 64 bits", "'9223372036854775808' in line 2", "types=['dst=string']"],
        ),
        (
            "e.csv",
            "src,dst,w\n1,2,9007199254740993\n1,2,0.5\n",
            ["edges.w: expected numbers that double holds exactly"],
        ),
        (
            "e.csv",
            "src,dst\n" + "1,2\n" * 1500 + "x,3\n",
            ["edges.src: expected bigint values as in the lines before, found 'x' in line 1502"],
        ),
        ("e.csv", "src,dst\nx,2\n1,3\n", ["edges.src: expected words as in the lines before, found '1' in line 3"]),
        ("e.csv", "src,dst\nnan,1\n", ["edges.src: expected numbers or words, found 'nan'"]),
        (
            "e.csv",
            "src,dst\nann, bob\n",
            ["edges.dst: expected values without blanks around them, found ' bob' in line 2"],
        ),
        ("e.csv", "src, dst\n1,2\n", ["expected"]),
        ("e.csv", "src,dst\n1,2\n\n7\n", ["edges.dst: expected 2 values on each line of e.csv, found 1 in line 4"]),
        ("e.csv", 'src,dst\n"a\nb",2\n7,8,9\n', ["edges: expected 2 values on each line of e.csv, found 3 in line 4"]),
        (
            "e.csv",
            "src,SRC,dst\n1,2,3\n",
            ["columns of different names, whatever their case, found 'src' and 'SRC' in line 1"],
        ),
        (
            "e.csv",
            "#src,dst\n1,2\n",
            ["expected a comment that cannot be a row or a header, found '#src,dst' in line 1"],
        ),
        ("e.csv", "1,2\n# hi\n", ["expected rows under the first one, found '# hi'", "line 2"]),
        ("e.csv", 'src,dst\n1,"2\n3,4\n', ["expected quotes around a whole value", "line 2"]),
        ("e.csv", 'src,dst\n"1"x,2\n', ["expected quotes around a whole value", "line 2"]),
        ("e.csv", 'src,dst\n1,5" pipe\n', ["expected quotes around a whole value", "line 2"]),
        ("e.csv", "src,dst\n1,2\r3,4\n", ["found a CR alone in line 2"]),
        ("e.csv", "src,dst\n1,\0\n", ["found a byte 0 in line 2"]),
        ("e.csv", b"src,dst\n1,2\n1,\xff\n", ["expected text in UTF-8, found the byte 0xff in line 3"]),
        ("e.csv", "src,dst\n1,2\n".encode("utf-16"), ["expected text in UTF-8, found UTF-16"]),
        ("v.csv", "\n1\n", ["edges: expected a header or a value, found nothing in line 1"]),
        ("e.txt", "#1 2\n3 4\n", ["found '#1 2', which may be a row, in line 1"]),
        ("e.txt", "3 4\n5 6\n%5 6\n", ["found '%5 6', which may be a row, in line 3"]),
        ("e.txt", "1 2\nNew York\tParis\n", ["expected words with either tabs or blanks between them", "line 2"]),
        ("e.txt", '1 2\n"3" 4\n', ["expected words without quotes in a list", "line 2"]),
        ("e.txt", "1,2\n", ["edges.dst: expected 2 values on each line", "delimiter=','"]),
        ("e.txt", "1 2\n3\n", ["edges.dst: expected 2 values on each line of e.txt, found 1 in line 2"]),
        *(
            (name, empty, ["edges: expected at least one row, found none"])
            for name in ("e.csv", "e.txt")
            for empty in ("", "\n\n", "# only\n# comments\n")
        ),
        ("e.csv", "src,dst\n", ["edges: expected at least one row, found none"]),
    ],
)
def test_two_readings_or_none(tmp_path, name, content, says):
    needed = ("src", "dst") if name[0] == "e" else ("id",)
    with pytest.raises(errors.SparkGapError) as caught:
        table(tmp_path / name, content, names=NAMES if name[0] == "e" else ["id"], needed=needed)
    for word in says:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("name", "content", "how", "columns", "expected"),
    [
        ("e.csv", "ann,bob\n", {"header": False}, {"src": S, "dst": S}, [("ann", "bob")]),
        ("e.csv", "ann,bob\ncho,dee\n", {"header": True}, {"ann": S, "bob": S}, [("cho", "dee")]),
        ("e.csv", "0,1\n5,6\n", {"header": True}, {"0": E, "1": E}, [(5, 6)]),
        ("e.csv", "src,dst\na,b\n", {"header": False}, {"src": S, "dst": S}, [("src", "dst"), ("a", "b")]),
        ("e.txt", "1,2\n", {"delimiter": ","}, {"src": E, "dst": E}, [(1, 2)]),
        ("e.csv", "1 2\n", {"delimiter": "blank"}, {"src": E, "dst": E}, [(1, 2)]),
        (
            "e.txt",
            "New York\tParis\n",
            {"delimiter": "tab", "header": False},
            {"src": S, "dst": S},
            [("New York", "Paris")],
        ),
        ("e.csv", "1,5;2,5\n", {"delimiter": ";", "header": False}, {"src": S, "dst": S}, [("1,5", "2,5")]),
        ("e.csv", f"src,dst\n{2**63},1\n", {"types": ["src=string"]}, {"src": S, "dst": E}, [(str(2**63), 1)]),
        ("e.csv", "src,dst\n+1, 02\n", {"types": ["src=bigint", "dst=double"]}, {"src": E, "dst": W}, [(1, 2.0)]),
        ("e.csv", "src,dst\nann, bob\n", {"types": ["dst=string"]}, {"src": S, "dst": S}, [("ann", " bob")]),
    ],
)
def test_what_is_said_holds(tmp_path, name, content, how, columns, expected):
    found = table(tmp_path / name, content, **how)
    assert (types(found), rows(found)) == (columns, expected)


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"types": ["src=string", "dst=bigint"]}, "edges.dst: expected bigint values, found '0x10' in line 3"),
        (
            {"types": ["src=bigint", "dst=string"]},
            "edges.src: expected bigint values, found '9223372036854775808' in line 3",
        ),
        ({"types": ["src=int"]}, "types: expected COLUMN=TYPE with one of bigint, double, string, found 'src=int'"),
        ({"delimiter": ";;"}, "delimiter: expected one ASCII character, tab or blank, found ';;'"),
        ({"delimiter": '"'}, "delimiter: expected one ASCII character"),
    ],
)
def test_what_is_said_wrongly(tmp_path, how, says):
    with pytest.raises(errors.SparkGapError) as caught:
        table(tmp_path / "e.csv", f"src,dst\n1,2\n{2**63},0x10\n", **how)
    assert str(caught.value).startswith(says)


def test_a_column_of_one_may_be_empty(tmp_path):
    found = table(tmp_path / "v.csv", 'id\na\n\n""\n', names=["id"], needed=["id"])
    assert rows(found) == [("a",), (None,), ("",)]


def test_blocks_end_between_records(tmp_path, monkeypatch):
    """Lines that no block holds whole, quotes with line ends in them, and a fault far down whose line is told."""
    monkeypatch.setattr(records, "BLOCK", 64)
    body = [(f"{i:03}", f"{'long ' * (i % 30)}\n{i}") for i in range(300)]
    text = io.StringIO(newline="")
    csv.writer(text).writerows([("src", "dst"), *body])
    assert rows(table(tmp_path / "e.csv", text.getvalue())) == body
    with pytest.raises(DataError, match=r"on each line of e\.csv, found 3 in line 602"):
        table(tmp_path / "e.csv", text.getvalue() + "1,2,3\n")
    with pytest.raises(DataError, match=r"found 'x' in line 1003 of e\.txt"):
        table(tmp_path / "e.txt", "# top\n\n" + "1 2\n" * 1000 + "1 x\n")


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".zst", ".lz4"])
def test_compressed(tmp_path, suffix):
    text = b"1 2\n" * 5000
    packed = (
        gzip.compress(text[:4000]) + gzip.compress(text[4000:])
        if suffix == ".gz"
        else (
            bz2.compress(text)
            if suffix == ".bz2"
            else bytes(pa.compress(text, codec=suffix[1:].replace("zst", "zstd"), asbytes=True))
        )
    )
    assert table(tmp_path / f"e.txt{suffix}", packed).num_rows == 5000
    with pytest.raises(DataError, match="expected a file that can be read as"):
        table(tmp_path / f"e.txt{suffix}", b"1 2\n")
    if suffix != ".bz2":
        with pytest.raises(DataError, match="expected a file that can be read as"):
            table(tmp_path / f"e.txt{suffix}", packed[:-6])


KINDS = [
    ("a.parquet", "parquet"),
    ("a.CSV", "csv"),
    ("a.csv.gz", "csv"),
    ("a.tsv", "tsv"),
    ("a.e", "list"),
    ("a.v", "list"),
    ("a.txt.zst", "list"),
    ("a.arrow", "arrow"),
    ("a.feather", "arrow"),
]


@pytest.mark.parametrize(("name", "kind"), KINDS)
def test_kind_by_name(tmp_path, name, kind):
    (tmp_path / name).touch()
    assert formats.kind_of(tmp_path / name) == kind


@pytest.mark.parametrize("name", ["a", "a.json", "a.gz", "a.parquet.gz", "a.csv.zip"])
def test_unknown_kind(tmp_path, name):
    (tmp_path / name).touch()
    with pytest.raises(ArgumentError, match="INPUT: expected a Parquet file"):
        formats.kind_of(tmp_path / name)


def test_files_that_are_not_here(tmp_path):
    with pytest.raises(ArgumentError, match="expected a file or folder that exists"):
        formats.kind_of(tmp_path / "none.csv")
    for place in ("hdfs://host/e.csv", "s3a://bucket/e.parquet"):
        with pytest.raises(ArgumentError, match=r"INPUT: expected a file of this machine.*spark\.read"):
            formats.kind_of(Path(place))
    os.mkfifo(tmp_path / "e.csv")
    with pytest.raises(ArgumentError, match="expected a file that can be read twice"):
        formats.kind_of(tmp_path / "e.csv")


TEXT = st.text(
    st.sampled_from('ab01+-.,;|\t "\n\r#%\u00e9\u00a0\u2028e') | st.characters(exclude_categories=["Cs"]), max_size=5
)
WORD = TEXT | st.sampled_from(
    [
        "",
        "001",
        "1",
        "-1",
        "2.5",
        "nan",
        "inf",
        "1e5",
        str(2**63),
        str(2**64),
        "src",
        "dst",
        "#",
        " x",
        "0x1",
        "NULL",
        "true",
        "1_000",
    ]
)


@settings(max_examples=200, deadline=None)
@given(
    st.integers(1, 3).flatmap(
        lambda width: st.lists(st.lists(WORD, min_size=width, max_size=width), min_size=2, max_size=6)
    ),
    st.sampled_from([("e.csv", ","), ("e.tsv", "\t"), ("e.csv", ";"), ("e.txt", "|")]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([None, True, False]),
)
@example([["src", "dst"], ["\r", "1"]], ("e.csv", ","), csv.QUOTE_MINIMAL, "\n", None)
@example([["", ""], ["", "0"]], ("e.tsv", "\t"), csv.QUOTE_MINIMAL, "\n", False)
@example([["1"], [""]], ("e.csv", ","), csv.QUOTE_MINIMAL, "\n", None)
@example([["a;b", "1"], ["1;2", "3"]], ("e.csv", ","), csv.QUOTE_MINIMAL, "\n", None)
def test_what_python_writes_is_read_as_it_is_or_refused(tmp_path_factory, written, how, quoting, end, header):
    """The oracle is what was written: values as text, with a header or without; a reading that differs from both is a
    failure.
    """
    name, delimiter = how
    # Python puts no quotes around a CR at the end of a line, which then ends in CR LF as others do.
    assume(quoting != csv.QUOTE_MINIMAL or end == "\r\n" or not any(row[-1].endswith("\r") for row in written))
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter, quoting=quoting, lineterminator=end).writerows(written)
    path = tmp_path_factory.mktemp("csv") / name
    try:
        found = table(
            path,
            text.getvalue().encode(),
            names=[],
            needed=[],
            header=header,
            delimiter=delimiter if header is not None or name == "e.txt" else None,
        )
    except errors.SparkGapError as e:
        assert len(str(e).splitlines()) == 1
        return
    quoted = (
        quoting != csv.QUOTE_MINIMAL
    )  # else an empty value is nothing, but Python puts quotes around the only one of a row
    body = [[w if w or quoted or len(row) == 1 else None for w in row] for row in written]
    with_header = header if header is not None else found.num_rows == len(body) - 1
    if with_header:
        assert found.schema.names == [w or f"c{i + 1}" for i, w in enumerate(written[0])]
        body = body[1:]
    assert found.num_rows == len(body)
    for column, values in zip(found.columns, zip(*body, strict=True), strict=True):
        for value, word in zip(column.to_pylist(), values, strict=True):
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                assert (
                    (str(value) == word)
                    if isinstance(value, int)
                    else (value == float(word) or (math.isnan(value) and word.lower() == "nan"))
                )
            else:
                assert value == word


OURS = st.sampled_from(
    [
        (pa.int64(), st.integers(-(2**63), 2**63 - 1)),
        (pa.float64(), st.floats(allow_nan=False)),
        (pa.string(), TEXT.filter(lambda t: "\0" not in t)),
        (pa.string(), st.sampled_from(["", "001", "1", "null", "nan"])),
    ]
)


@settings(max_examples=100, deadline=None)
@given(st.data(), st.integers(1, 3), st.integers(1, 5), st.sampled_from([".csv", ".tsv"]))
def test_what_we_write_is_read_as_it_is(tmp_path_factory, data, width, height, suffix):
    columns = {}
    for i in range(width):
        kind, values = data.draw(OURS)
        drawn = data.draw(st.lists(st.none() | values, min_size=height, max_size=height))
        assume(any(v is not None for v in drawn) or kind == pa.string())  # a column of nothing has no type in CSV
        assume(kind != pa.float64() or any(v is not None and math.isfinite(v) for v in drawn))  # docs/files.md: refused
        columns[f"column {i}"] = pa.array(drawn, kind)
    written = pa.table(columns)
    path = tmp_path_factory.mktemp("ours") / f"e{suffix}"
    with path.open("wb") as file:
        outputs.write_text(written.to_batches(), written.schema, file, suffix)
    _, blocks = read_text(path, [], needed=[], how=TextOptions(header=True))
    assert pa.concat_tables(blocks).combine_chunks().equals(written)


@settings(max_examples=100, deadline=None)
@given(
    st.binary(max_size=60) | st.text(max_size=60).map(lambda t: t.encode("utf-8", "surrogatepass")),
    st.sampled_from(["e.csv", "e.tsv", "e.txt"]),
    st.sampled_from([None, True, False]),
)
def test_any_bytes_are_read_or_refused(tmp_path_factory, content, name, header):
    try:
        assert table(tmp_path_factory.mktemp("any") / name, content, header=header).num_rows > 0
    except errors.SparkGapError as e:
        assert len(str(e).splitlines()) == 1


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("r.csv", ".csv"),
        ("r.PARQUET", ".parquet"),
        ("r.tsv", ".tsv"),
        ("r.arrow", ".arrow"),
        ("r", ""),
        ("r/", ""),
        ("r.v2/", ""),
    ],
)
def test_what_is_written_follows_the_name(name, kind):
    assert destinations.kind_of(name) == kind


@pytest.mark.parametrize("name", ["x.json", "x.csv.gz", "x.v2", "x.txt"])
def test_a_name_that_says_nothing(name):
    with pytest.raises(
        ArgumentError, match=r"--out: expected a name that ends with \.parquet, \.csv, \.tsv, \.arrow, or a folder"
    ):
        destinations.kind_of(name)


@pytest.mark.parametrize(
    ("column", "says"),
    [
        (pa.array([[1.0]]), "numbers or strings"),
        (pa.array([True]), "numbers or strings"),
        (pa.array(["a\0b"]), "found a byte 0"),
    ],
)
def test_what_csv_has_no_place_for(tmp_path, column, says):
    written = pa.table({"x": column})
    with pytest.raises(DataError, match=rf"result\.x: .*{says}"):
        outputs.write_text(written.to_batches(), written.schema, io.BytesIO(), ".csv")


def test_out_is_checked_before_work(tmp_path):
    (tmp_path / "there.csv").touch()
    with pytest.raises(ArgumentError, match="--out: expected a path that does not exist yet"):
        destinations.check(tmp_path / "there.csv", overwrite=False)
    destinations.check(tmp_path / "there.csv", overwrite=True)
    with pytest.raises(ArgumentError, match="mkdir -p"):
        destinations.check(tmp_path / "no" / "x.csv", overwrite=False)
    with pytest.raises(ArgumentError, match="--out: expected the name of a folder, which a model is"):
        destinations.check_model(tmp_path / "model.parquet", overwrite=False)


WORDS = [
    "0",
    "7",
    "-7",
    "10",
    "99999",
    "-100000",
    "007",
    "+7",
    "-0",
    " 7",
    "7 ",
    "",
    "0.5",
    "x",
    "9" * 18,
    "-" + "9" * 19,
]


WORDS += ["0xFFFFFFFF", "0XFFFFFFFF", "0x7FFFFFFFFFFFFFFF"]
FRACTIONS = ["0.5", "-0.5", "1.0", "1e5", "-1.25E-3", "1", "0", "-0", ".5", "5.", "00.5", "+0.5", "nan", "", "1e", "x"]


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(*(st.sampled_from(words) for words in (WORDS, WORDS[:6], FRACTIONS))), min_size=1, max_size=30),
    st.sampled_from([("e.csv", ","), ("e.tsv", "\t"), ("e.txt", " ")]),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
    st.sampled_from([8, 64, 1 << 20]),
)
def test_integers_read_at_once_are_those_read_one_by_one(tmp_path_factory, pairs, form, end, last, block):
    name, delimiter = form
    path = tmp_path_factory.mktemp("files") / name
    content = end.join([delimiter.join(NAMES), *(delimiter.join(pair) for pair in pairs)]) + end * last

    def read():
        try:
            found = table(path, content)
            return found.schema, repr(found.to_pydict())
        except errors.SparkGapError as e:
            return str(e)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(records, "BLOCK", block)
        at_once = read()
        patch.setattr(records.Records, "with_integers", lambda *_: None)
        patch.setattr(text_columns, "_FRACTION", "^$")
        assert at_once == read()


@pytest.mark.parametrize("word", ["0xFFFFFFFF", "0X7FFFFFFFFFFFFFFF"])
def test_hexadecimal_is_no_integer(tmp_path, word):
    """As long as what it stands for, or shorter: Arrow's reader would take it for one."""
    found = table(tmp_path / "e.csv", f"src,dst\n{word},1\n{word},2\n")
    assert found["src"].to_pylist() == [word, word]
    with pytest.raises(DataError, match=r"^edges\.src: expected "):
        table(tmp_path / "e.csv", f"src,dst\n1,1\n{word},2\n")


def test_an_integer_that_double_cannot_hold_is_seen_in_any_block(tmp_path, monkeypatch):
    monkeypatch.setattr(records, "BLOCK", 16)
    content = "src,dst\n" + f"{2**53 + 1},1\n" + "1,2\n" * 20 + "0.5,3\n"
    with pytest.raises(
        DataError, match=rf"^edges\.src: expected numbers that double holds exactly, found '{2**53 + 1}'"
    ):
        table(tmp_path / "e.csv", content)
