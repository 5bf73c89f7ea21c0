# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Tables and graphs of a Spark application, read in place by kernels without Spark, and the other way round."""

import datetime
import decimal
import json
import subprocess
import sys

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import sparkgap
from sparkgap import local
from sparkgap.local import home

ROWS = [(1, 2, 0.5), (2, 3, 1.5), (3, 1, 2.0), (4, 1, 0.25), (4, 4, 1.0)]
pytestmark = pytest.mark.parametrize("spark", ["classic"], indirect=True)


@pytest.fixture(autouse=True)
def no_home_is_left(store):
    """Other tests of this process look at the store, where this one's home would stay until the end."""
    yield
    for key, made in list(home._homes.items()):
        if made.store == store.path.resolve():
            made.close()
            del home._homes[key]


def by_id(rows, column):
    return {row["id"]: row[column] for row in (rows.collect() if hasattr(rows, "collect") else rows.to_pylist())}


@pytest.fixture
def published(spark, store):
    """An edge list and a graph under names of this test's own, until it ends."""
    edges = spark.createDataFrame(ROWS, "src bigint, dst bigint, km double").coalesce(1)
    sparkgap.store.publish(edges, "local_edges")
    with sparkgap.graph.build(edges, weight="km", directed=False) as web:
        sparkgap.store.publish(web, "local_web")
        yield edges
    sparkgap.store.rm("published.local_edges")
    sparkgap.store.rm("published.local_web")


def test_a_table_is_read_where_it_lies(spark, store, published):
    table = local.table("published.local_edges", store=store.path)
    assert (table.name, table.rows.num_rows, len(pl.DataFrame(table))) == ("published.local_edges", 5, 5)
    before = [file for file in store.files() if file.startswith("published/local_edges")]
    found = local.pagerank(table, weight="km")
    assert sparkgap.last_call().bytes_copied == 0
    assert by_id(found, "pagerank") == pytest.approx(by_id(sparkgap.graph.pagerank(published, weight="km"), "pagerank"))
    assert before and set(before) <= set(store.files()), "it stays its application's"


def test_a_graph_is_read_where_it_lies(spark, store, published):
    web = local.load("published.local_web", store=store.path)
    assert repr(web) == "Graph(n_vertices=4, n_edges=5, directed=False, weight='km')"
    assert sorted(web.vertices["id"].to_pylist()) == [1, 2, 3, 4]
    expected = by_id(sparkgap.graph.sssp(published, 1, weight="km", directed=False), "distance")
    for ranks in (1, 2):
        assert by_id(web.sssp(1, ranks=ranks, threads=1), "distance") == pytest.approx(expected)
        assert sparkgap.last_call().bytes_copied == 0
    web.drop()
    assert by_id(local.load("published.local_web", store=store.path).degree(), "degree") == by_id(
        sparkgap.graph.degree(published, directed=False), "degree"
    ), "dropping a handle removes nothing of an application's"


def test_what_is_not_there(spark, store, published):
    with pytest.raises(sparkgap.ArgumentError, match=r"^table 'published\.nope': expected one of "):
        local.table("published.nope", store=store.path)
    with pytest.raises(sparkgap.ArgumentError, match=r"^graph 'published\.local_edges': expected a stored graph"):
        local.load("published.local_edges", store=store.path)
    kept = local.table("published.local_edges", store=store.path)
    spark.range(1).selectExpr("id src", "id dst").createOrReplaceTempView("again")
    sparkgap.store.publish("again", "local_edges")
    sparkgap.store.sweep()
    assert kept.rows.num_rows == 5, "what was mapped stays"
    assert local.table("published.local_edges", store=store.path).rows.num_rows == 1
    for path in kept.paths:
        path.unlink(missing_ok=True)
    assert local.degree(kept).num_rows == 4
    assert sparkgap.last_call().bytes_copied > 0, "its files are gone, so its rows are written anew"


@pytest.fixture
def name(store):
    yield "local_published"
    if list(store.path.glob("published/local_published.json")):
        sparkgap.store.rm("published.local_published")


def test_rows_are_published_for_spark(spark, store, name):
    at = datetime.datetime(2026, 1, 2, 3, 4, 5, 678901, datetime.timezone.utc)
    rows = {
        "id": [1, 2, None],
        "small": pa.array([1, 2, 3], pa.uint8()),
        "word": pa.array(["a", None, "c"], pa.large_string()).dictionary_encode(),
        "x": np.array([0.5, np.nan, -0.0]),
        "when": pa.array([at, at, None], pa.timestamp("ns", "Europe/Rome")),
        "day": [at.date(), None, at.date()],
        "price": [decimal.Decimal("1.25"), None, decimal.Decimal("-3.50")],
        "pair": pa.array([[1.0, 2.0], None, [3.0, 4.0]], pa.list_(pa.float32(), 2)),
        "inner": [{"a b": 1, "tags": ["x"]}, {"a b": None, "tags": []}, None],
        "yes": [True, None, False],
    }
    table = local.publish(rows, name, store=store.path)
    assert (table.name, table.rows.num_rows) == (f"published.{name}", 3)
    found = spark.table(f"sparkgap.published.{name}")
    assert dict(found.dtypes) == {
        **{"id": "bigint", "small": "bigint", "word": "string", "x": "double", "when": "timestamp", "day": "date"},
        **{"price": "decimal(3,2)", "pair": "array<float>", "inner": "struct<a b:bigint,tags:array<string>>"},
        "yes": "boolean",
    }
    assert found.where("id = 2 or x = 0.5").count() == 2
    assert table.rows.drop_columns(["x"]).to_pylist() == found.drop("x").toArrow().to_pylist()
    assert found.select("inner.tags").first().tags == ["x"]
    done = subprocess.run(
        [sys.executable, "-m", "sparkgap", "store", "stat", f"published.{name}", "--verify", "--store", store.path],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_editions_and_kernels(spark, store, name):
    """What this process publishes it reads in place, and so does Spark; a new edition leaves readers of the old one."""
    edges = local.publish({"src": [1, 2, 3], "dst": [2, 1, 1]}, name, store=store.path)
    before = spark.table(f"sparkgap.published.{name}")
    assert local.degree(edges).num_rows == sparkgap.graph.degree(before).count() == 3
    assert sparkgap.last_call().bytes_copied == 0
    again = local.publish(pl.DataFrame({"src": [5], "dst": [6]}), name, store=store.path)
    assert (again.rows.num_rows, edges.rows.num_rows, before.count()) == (1, 3, 3)
    assert spark.table(f"sparkgap.published.{name}").collect()[0].asDict() == {"src": 5, "dst": 6}
    manifest = store.path / "published" / f"{name}.json"
    said = json.loads(manifest.read_text())
    del said["segments"][0]["host"]
    manifest.write_text(json.dumps(said))
    found = sparkgap.graph.degree(spark.table(f"sparkgap.published.{name}"))
    assert found.count() == 2, "a manifest may leave the host out"
    sparkgap.store.publish(spark.range(3), name)
    assert local.table(f"published.{name}", store=store.path).rows.num_rows == 3


def test_nothing_is_published_behind_a_link(spark, tmp_path):
    (tmp_path / "store").mkdir(mode=0o700)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "store" / "published").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(sparkgap.ResourceError, match=r"^store .*/published: expected a folder, found a link\."):
        local.publish({"a": [1]}, "ab", store=tmp_path / "store")
    assert not list((tmp_path / "elsewhere").iterdir())


def test_what_is_not_published(spark, store):
    for rows, name, words in (
        ({"a": [1]}, "a b", "name: expected letters, digits, _ and -"),
        ({"a": [None]}, "ab", "rows.a: expected a column of one type"),
        ({"a": pa.array([1], pa.time32("s"))}, "ab", "rows.a: expected a type that the store keeps, found time32[s]."),
        ({"a": [1], "A": [2]}, "ab", "rows.A: expected one column of this name, whatever its case"),
        ({"a": np.array([2**63], np.uint64)}, "ab", "rows.a: expected integers up to 9223372036854775807"),
    ):
        with pytest.raises(sparkgap.SparkGapError) as said:
            local.publish(rows, name, store=store.path)
        assert str(said.value).startswith(words)
    assert not list(store.path.glob("published/ab*"))
