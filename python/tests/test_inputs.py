# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What the first lines of a file tell; reading itself is tested in conformance/ on a real Spark."""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparkgap import errors, inputs, outputs

NAMES = ["src", "dst", "weight"]


def layout(path, text, kind):
    path.write_text(text, newline="")
    return inputs.sniff(path, NAMES, kind=kind, what="edges")


@pytest.mark.parametrize(
    ("text", "columns", "delimiter", "header"),
    [
        ("1,2\n2,3\n", (("src", "bigint"), ("dst", "bigint")), ",", False),
        ("from,to\n1,2\n", (("from", "bigint"), ("to", "bigint")), ",", True),
        ("src;dst;w\r\n1;2;0.5\r\n", (("src", "bigint"), ("dst", "bigint"), ("w", "double")), ";", True),
        ("a\tb\n x \ty\n", (("a", "string"), ("b", "string")), "\t", True),
        (
            "# c\n1,b,2.5,9\n",
            (("src", "bigint"), ("dst", "string"), ("weight", "double"), ("c4", "bigint")),
            ",",
            False,
        ),
        ("a,b\n1,99999999999999999999\n", (("a", "bigint"), ("b", "double")), ",", True),
        ('"a,x",b\n1,2\n', (("a,x", "bigint"), ("b", "bigint")), ",", True),
    ],
)
def test_csv(tmp_path, text, columns, delimiter, header):
    found = layout(tmp_path / "e.csv", text, "csv")
    assert (found.columns, found.delimiter, found.header) == (columns, delimiter, header)


@pytest.mark.parametrize(
    ("text", "columns", "header"),
    [
        ("1 2\n3\t 4\n", (("src", "bigint"), ("dst", "bigint")), False),
        ("% c\r\n\r\n# c\r\n 1   2 0.5\r\n", (("src", "bigint"), ("dst", "bigint"), ("weight", "double")), False),
        ("ann bob\nbob cho\n", (("src", "string"), ("dst", "string")), False),
        ("src dst\n1 2\n", (("src", "bigint"), ("dst", "bigint")), True),
        ("1 2\nx 3\n", (("src", "string"), ("dst", "bigint")), False),
    ],
)
def test_lists(tmp_path, text, columns, header):
    found = layout(tmp_path / "e.txt", text, "list")
    assert (found.columns, found.header) == (columns, header)


def test_gzip_and_byte_order_mark(tmp_path):
    path = tmp_path / "e.txt.gz"
    path.write_bytes(gzip.compress("\ufeff1 2\n".encode()))
    assert inputs.kind_of(path) == "list"
    assert inputs.sniff(path, NAMES, kind="list", what="edges").columns[0] == ("src", "bigint")


@pytest.mark.parametrize("text", ["", "\n\n", "# only\n% comments\n"])
def test_no_rows(tmp_path, text):
    with pytest.raises(errors.DataError, match="edges: expected at least one row, found none"):
        layout(tmp_path / "e.txt", text, "list")


def test_not_text(tmp_path):
    (tmp_path / "e.txt").write_bytes(b"\xff\xfe\x00\x80" * 10)
    with pytest.raises(errors.DataError, match="expected a text file"):
        inputs.sniff(tmp_path / "e.txt", NAMES, kind="list", what="edges")


@pytest.mark.parametrize(
    ("name", "kind"),
    [("a.parquet", "parquet"), ("a.CSV", "csv"), ("a.csv.gz", "csv"), ("a.e", "list"), ("a.v", "list")],
)
def test_kind_by_name(tmp_path, name, kind):
    (tmp_path / name).touch()
    assert inputs.kind_of(tmp_path / name) == kind


@pytest.mark.parametrize("name", ["a", "a.json", "a.gz"])
def test_unknown_kind(tmp_path, name):
    (tmp_path / name).touch()
    with pytest.raises(errors.ArgumentError, match="INPUT: expected a Parquet file"):
        inputs.kind_of(tmp_path / name)


def test_missing_file(tmp_path):
    with pytest.raises(errors.ArgumentError, match="expected a file or folder that exists"):
        inputs.kind_of(tmp_path / "none.csv")


@given(st.text(max_size=200), st.sampled_from(["csv", "list"]))
def test_sniff_never_breaks(tmp_path_factory, text, kind):
    path = tmp_path_factory.mktemp("sniff") / "e.txt"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    try:
        found = inputs.sniff(path, NAMES, kind=kind, what="edges")
    except errors.DataError:
        return
    assert found.columns


def test_out_is_checked_before_work(tmp_path):
    (tmp_path / "there.csv").touch()
    with pytest.raises(errors.ArgumentError, match="--out: expected a path that does not exist yet"):
        outputs.check(tmp_path / "there.csv", overwrite=False)
    outputs.check(tmp_path / "there.csv", overwrite=True)
    with pytest.raises(errors.ArgumentError, match="mkdir -p"):
        outputs.check(tmp_path / "no" / "x.csv", overwrite=False)
