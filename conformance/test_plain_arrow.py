# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Segments are plain Arrow files: other libraries open them where they lie, with every type, and copy nothing."""

import json
import re

import duckdb
import polars
import pyarrow as pa
import pytest
from conftest import ROOT
from test_store import SCHEMA, rows, save

from sparkgap import cli

N = 999
COPIES = 100  # of each row, so that a copy would be seen


@pytest.fixture
def manifest(spark, store):
    """The manifest of a table with all flat types and nulls, in three segments or more."""
    frame = spark.createDataFrame(rows(N), SCHEMA).repartitionByRange(3, "id")
    save(frame.crossJoin(spark.range(COPIES).select()), "plain_arrow")
    (file,) = store.path.glob("*/tables/plain_arrow.json")
    yield json.loads(file.read_text())
    spark.sql("DROP TABLE sparkgap.store.plain_arrow")


@pytest.mark.parametrize("spark", ["classic"], indirect=True)
def test_mapped_by_pyarrow_without_a_copy(manifest):
    before = pa.total_allocated_bytes()
    tables = []
    for segment in manifest["segments"]:
        with pa.memory_map(segment["path"]) as source:
            file = source.read_buffer()
            source.seek(0)
            tables.append(pa.ipc.open_file(source).read_all())
        for column in tables[-1].columns:
            for buffer in (b for chunk in column.chunks for b in chunk.buffers() if b is not None and b.size):
                at = buffer.address - file.address
                assert 0 <= at <= file.size - buffer.size and at % 64 == 0
    allocated = pa.total_allocated_bytes() - before
    table = pa.concat_tables(tables)
    assert table.nbytes > 5_000_000 and allocated < table.nbytes / 1000
    assert sorted({row["id"]: tuple(row.values()) for row in table.to_pylist()}.values()) == sorted(rows(N))
    assert table.num_rows == manifest["rows"] == N * COPIES


@pytest.mark.parametrize("spark", ["classic"], indirect=True)
def test_by_polars(manifest):
    paths = [s["path"] for s in manifest["segments"]]
    found = polars.scan_ipc(paths).unique().sort("id").collect()
    assert found.rows() == rows(N)
    assert sum(polars.read_ipc(path).height for path in paths) == N * COPIES


@pytest.mark.parametrize("spark", ["classic"], indirect=True)
def test_by_duckdb(manifest):
    table = pa.concat_tables(pa.ipc.open_file(pa.memory_map(s["path"])).read_all() for s in manifest["segments"])
    with duckdb.connect() as connection:
        connection.register("plain", table)
        assert connection.sql("SELECT DISTINCT * FROM plain ORDER BY id").fetchall() == rows(N)


@pytest.mark.parametrize("spark", ["classic"], indirect=True)
def test_the_example_of_the_docs(spark, store):
    """It opens a published table; the manifest of any other is alike."""
    save(spark.range(100).selectExpr("id as src", "id % 7 as dst"), "docs_edges")
    (file,) = store.path.glob("*/tables/docs_edges.json")
    (example,) = re.findall(r"^```py\n(.*?)^```$", (ROOT / "docs" / "store.md").read_text(), re.MULTILINE | re.DOTALL)
    names = {}
    exec(example.replace("/dev/shm/sparkgap-1000/published/edges.json", str(file)), names)
    assert (names["edges"].num_rows, names["lazy"].item(), names["count"]) == (100, 99, [(7,)])
    spark.sql("DROP TABLE sparkgap.store.docs_edges")


@pytest.mark.parametrize("spark", ["classic"], indirect=True)
def test_the_command_line_sees_what_spark_made(spark, store, tmp_path, capsys):
    where = ["--store", str(store.path), "--disk-store", str(tmp_path / "none"), "--json"]

    def listed():
        assert cli.main(["store", "ls", *where]) == 0
        return {t["name"]: t for t in json.loads(capsys.readouterr().out)["tables"]}

    others = set(listed())
    save(spark.createDataFrame(rows(50), SCHEMA), "seen")
    cached = spark.range(1000).selectExpr("id", "cast(id as string) s").cache()
    assert cached.count() == 1000
    tables = {t["kind"]: t for name, t in listed().items() if name not in others}
    assert (tables["table"]["name"], tables["table"]["rows"], tables["table"]["alive"]) == ("seen", 50, True)
    for kind, n in (("table", 50), ("cache", 1000)):
        assert cli.main(["store", "stat", tables[kind]["name"], "--verify", *where]) == 0
        found = json.loads(capsys.readouterr().out)
        assert (found["ok"], found["rows"], found["memory_bytes"] > 0) == (True, n, True)
        assert cli.main(["store", "rm", tables[kind]["name"], *where]) == 2
        assert "alive" in capsys.readouterr().err
    assert cli.main(["store", "sweep", *where]) == 0
    assert json.loads(capsys.readouterr().out)["removed"] == []
    assert (cached.count(), spark.table("sparkgap.store.seen").count()) == (1000, 50)
    cached.unpersist(True)
    spark.sql("DROP TABLE sparkgap.store.seen")
