# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Tables and graphs of a Spark application, read in place by kernels without Spark."""

import polars as pl
import pytest

import sparkgap
from sparkgap import local

ROWS = [(1, 2, 0.5), (2, 3, 1.5), (3, 1, 2.0), (4, 1, 0.25), (4, 4, 1.0)]
pytestmark = pytest.mark.parametrize("spark", ["classic"], indirect=True)


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
    before = store.files()
    found = local.pagerank(table, weight="km")
    assert sparkgap.last_call().bytes_copied == 0
    assert by_id(found, "pagerank") == pytest.approx(by_id(sparkgap.graph.pagerank(published, weight="km"), "pagerank"))
    assert set(before) <= set(store.files()), "it stays its application's"


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
