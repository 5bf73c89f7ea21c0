# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Files on the command line, on a real Spark: what docs/files.md says of them, and that nothing is guessed.

The rules themselves are tested without Spark in python/tests/test_inputs.py.
"""

import re

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sparkgap import cli

WAYS = {"here": [], "through Spark": ["--spark"]}
FORM = re.compile(r"[^:]+: expected .+, found .*\. .+\n")
pytestmark = pytest.mark.parametrize("spark", ["classic"], indirect=True)


def degree(folder, name, content, *options):
    """`sparkgap run degree` on a file of this content: the exit status and the rows, by id, the same in both ways."""
    file = folder / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    here, through_spark = (_degree(file, [*options, *words]) for words in WAYS.values())
    assert here == through_spark
    return here


def _degree(file, options):
    out = file.with_name("out.parquet")
    status = cli.main(["run", "degree", str(file), "--out", str(out), "--overwrite", *options])
    return status, (
        {row["id"]: (row["in_degree"], row["out_degree"]) for row in pq.read_table(out).to_pylist()}
        if status == 0
        else {}
    )


def refused(capfd, status, *said):
    """One line, the same in both ways."""
    out, err = capfd.readouterr()
    err, again = err.splitlines(keepends=True) if err.count("\n") == 2 else (err, err)
    assert (status in (2, 3), out, again) == (True, "", err), err
    assert FORM.fullmatch(err), err
    for word in said:
        assert word in err, err


def test_tsv_is_split_at_tabs(spark, tmp_path):
    found = degree(tmp_path, "e.tsv", "src\tdst\nNew York\tParis\nParis\tLos Angeles\n")
    assert found == (0, {"New York": (0, 1), "Paris": (1, 1), "Los Angeles": (1, 0)})


@pytest.mark.parametrize(
    ("name", "text"),
    [("e.tsv", "from\tto\nann\tbob\n"), ("e.txt", "from to\nann bob\n"), ("e.el", "source target\nann bob\n")],
)
def test_a_header_of_a_list_is_no_edge(spark, tmp_path, capfd, name, text):
    refused(capfd, degree(tmp_path, name, text)[0], "--header", "--no-header")
    named = ["--src", text.split()[0], "--dst", text.split()[1]]
    edge = {"ann": (0, 1), "bob": (1, 0)}
    assert degree(tmp_path, name, text, *named) == (0, edge)
    assert degree(tmp_path, name, text, "--header", *named) == (0, edge)
    assert degree(tmp_path, name, text, "--no-header")[1] == {**edge, text.split()[0]: (0, 1), text.split()[1]: (1, 0)}


def test_strings_without_a_header_keep_their_first_row(spark, tmp_path, capfd):
    """The old advice was `--src ann --dst bob`, with which the first edge was gone."""
    text = "ann,bob\nbob,cho\n"
    status = degree(tmp_path, "e.csv", text)[0]
    refused(capfd, status, "--no-header")
    assert degree(tmp_path, "e.csv", text, "--no-header") == (0, {"ann": (0, 1), "bob": (1, 1), "cho": (1, 0)})


def test_a_header_with_a_number_in_it_is_a_header(spark, tmp_path, capfd):
    assert degree(tmp_path, "e.csv", "src,dst,2020\nann,bob,5\n") == (0, {"ann": (0, 1), "bob": (1, 0)})
    capfd.readouterr()
    refused(capfd, degree(tmp_path, "e.csv", "from,to,2020\nann,bob,5\n")[0], "--header", "--no-header")


def test_quotes_as_in_rfc_4180(spark, tmp_path):
    found = degree(tmp_path, "e.csv", 'src,dst\r\n"a,""b""","two\r\nlines"\r\n"two\r\nlines",c\r\n')
    assert found == (0, {'a,"b"': (0, 1), "two\r\nlines": (1, 1), "c": (1, 0)})


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("e.csv", "src,dst\n001,1x\n002,001\n"),
        ("e.csv", "src,dst\n001,002\n002,010\n"),
        ("e.txt", "src dst\n001 002\n002 010\n"),
    ],
)
def test_leading_zeros_stay(spark, tmp_path, name, text):
    status, rows = degree(tmp_path, name, text)
    assert (status, {"001", "002"} <= set(rows)) == (0, True), rows


def test_ids_that_bigint_cannot_hold(spark, tmp_path, capfd):
    big, next_to_it = 2**63 + 1, 2**63 + 2
    text = f"src,dst\n{big},5\n{next_to_it},5\n"
    refused(capfd, degree(tmp_path, "e.csv", text)[0], "edges.src", str(big), "line 2", "--types src=string")
    found = degree(tmp_path, "e.csv", text, "--types", "src=string", "--types", "dst=string")
    assert found == (0, {str(big): (0, 1), str(next_to_it): (0, 1), "5": (2, 0)})


def test_a_type_for_what_no_text_file_has(spark, tmp_path, capfd):
    """Parquet has types of its own: words about them are refused, not passed over."""
    pq.write_table(pa.table({"id": [1, 2], "town": ["a", "b"]}), tmp_path / "v.parquet")
    status = degree(
        tmp_path, "e.csv", "src,dst\n1,2\n", "--vertices", str(tmp_path / "v.parquet"), "--types", "town=string"
    )[0]
    refused(capfd, status, "--types: expected a column among src, dst, found 'town'")


@pytest.mark.parametrize("name", ["x.json", "x.txt", "x.csv.gz", "x.v2"])
def test_what_is_written_follows_the_name(spark, tmp_path, capfd, name):
    (tmp_path / "e.csv").write_text("1,2\n")
    refused(
        capfd,
        cli.main(["run", "degree", str(tmp_path / "e.csv"), "--out", str(tmp_path / name)]),
        "--out",
        ".parquet, .csv, .tsv, .arrow",
    )
    assert [p.name for p in tmp_path.iterdir()] == ["e.csv"]


def test_what_spark_alone_reads_and_writes(spark, tmp_path, capfd):
    """Any URL will do: a file system of Hadoop's is one to Spark, whichever it is."""
    pq.write_table(pa.table({"src": [1, 2], "dst": [2, 1]}), tmp_path / "e.parquet")
    url, out = f"file://{tmp_path}/e.parquet", f"file://{tmp_path}/ranks"
    words = ["run", "pagerank", url, "--out", out]
    refused(capfd, cli.main(words), "INPUT: expected a file of this machine, found file:", "Add --spark")
    refused(capfd, cli.main([*words[:2], str(tmp_path / "e.parquet"), *words[3:]]), "--out: ", "Add --spark")
    assert cli.main([*words, "--spark"]) == 0
    assert pq.read_table(tmp_path / "ranks").num_rows == 2
    capfd.readouterr()
    refused(capfd, cli.main([*words, "--spark"]), "--out: expected a path that does not exist yet, found file:")
    assert cli.main([*words, "--spark", "--overwrite"]) == 0
    capfd.readouterr()
    refused(capfd, cli.main([*words[:2], f"file://{tmp_path}/e.csv", *words[3:], "--spark"]), "INPUT: expected Parquet")
    kmeans = ["run", "kmeans", str(tmp_path / "e.parquet"), "--features", "src,dst", "--out", out]
    refused(capfd, cli.main(kmeans), "--out: expected a file of this machine, found file:")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["r.csv", "r.tsv", "r.arrow", "r.parquet", "r", "r.v2/"])
def test_what_is_written_is_read(spark, tmp_path, name, way):
    """A result with awkward ids, read by another call as its vertices: no id is new, in every format."""
    ids = ["001", 'a "b", c', "two\nlines", " x ", "nan"]
    (tmp_path / "e.csv").write_text('src,dst\n"001","a ""b"", c"\n"two\nlines"," x "\n" x ","nan"\n')
    assert cli.main(["run", "degree", str(tmp_path / "e.csv"), "--out", f"{tmp_path}/{name}", *WAYS[way]]) == 0
    again = [
        "run",
        "degree",
        str(tmp_path / "e.csv"),
        "--vertices",
        f"{tmp_path}/{name}",
        "--out",
        str(tmp_path / "again.parquet"),
        *WAYS[way],
    ]
    assert cli.main(again) == 0
    assert sorted(pq.read_table(tmp_path / "again.parquet")["id"].to_pylist()) == sorted(ids)
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted({"again.parquet", "e.csv", name.rstrip("/")})
