# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Arrays and structs in the store: there and back with nulls on every level, as plain Arrow files, beside the columns
of a kernel.
"""

import datetime
import json
from decimal import Decimal

import pyarrow.ipc
import pytest

import sparkgap

SCHEMA = (
    "id bigint, ints array<int>, texts array<string>, pair struct<a:bigint,`b ``c`` d`:string>, raw array<binary>, "
    "flags array<boolean>, points array<struct<x:double,days:array<date>,sub:struct<dec:decimal(10,2)>>>, "
    "sums struct<big:array<decimal(38,10)>,at:array<timestamp>,f:float>, grid array<array<smallint>>"
)
DAY = datetime.date(2026, 2, 28)
AT = datetime.datetime(2026, 7, 1, 12, 0, 0, 999999)


def row(i):
    def some(value, k):
        return None if (i + k) % 5 == 0 else value

    def some_of(value):
        return [None if (i + j) % 4 == 0 else value for j in range(i % 4)]

    points = [
        None if j == i % 7 else (i / 3, some([DAY, None], j), some((some(Decimal("-1.25"), 2 * j),), j + 1))
        for j in range(i % 6)
    ]
    return (
        i,
        some(some_of(-i), 0),
        some(some_of("grün 🙂" * (i % 3)), 1),
        some((some(i, 2), some(f"v{i}", 3)), 2),
        some(some_of(b"\0\xff" * (i % 4)), 3),
        some(some_of(i % 2 == 0), 4),
        some(points, 0),
        some((some(some_of(Decimal("9999999999999999999999999999.9999999999")), 1), some(some_of(AT), 2), i / 4), 1),
        some([some(some_of(i), 3), [], some_of(7)][: i % 4], 2),
    )


def save(frame, name):
    frame.write.format("sparkgap").mode("overwrite").save(name)
    return frame.sparkSession.read.format("sparkgap").load(name)


def plain(frame):
    return sorted(map(repr, frame.collect()))


@pytest.mark.parametrize("n", [0, 500])
def test_nested_values_by_rows_and_by_columns(spark, tmp_path, n):
    frame = spark.createDataFrame([row(i) for i in range(n)], SCHEMA)
    back = save(frame, f"nested_{n}")
    assert back.schema == frame.schema
    assert plain(back) == plain(frame)
    assert plain(save(back, f"nested_again_{n}")) == plain(frame)
    frame.write.parquet(str(tmp_path / "t"))
    assert plain(save(spark.read.parquet(str(tmp_path / "t")), f"nested_file_{n}")) == plain(frame)


def test_fields_and_elements_in_queries(spark):
    frame = spark.createDataFrame([row(i) for i in range(500)], SCHEMA)
    back = save(frame, "nested_queries")
    for query in (
        lambda d: d.selectExpr("sum(pair.a)", "sum(size(points))", "sum(get(ints, 1))", "count(sums.at)"),
        lambda d: d.selectExpr("id", "inline(points)").where("x > 40"),
        lambda d: d.where("pair.`b ``c`` d` like 'v1%'").select("points.sub.dec", "grid"),
        lambda d: d.repartition(3).orderBy("texts", "id").limit(20),
    ):
        assert plain(query(back)) == plain(query(frame))


def test_any_arrow_reader_finds_the_same_values(spark, store):
    frame = spark.createDataFrame([row(i) for i in range(300)], SCHEMA).coalesce(1)
    save(frame, "nested_plain")
    (path,) = store.path.glob("*/tables/nested_plain.json")
    manifest = json.loads(path.read_text())
    types = {f["name"]: f["type"] for f in manifest["schema"]}
    assert types["points"] == "array<struct<x:double,days:array<date>,sub:struct<dec:decimal(10,2)>>>"
    assert types["pair"] == "struct<a:bigint,`b ``c`` d`:string>"
    (segment,) = manifest["segments"]
    with pyarrow.memory_map(segment["path"]) as source:
        reader = pyarrow.ipc.open_file(source)
        assert str(reader.schema.field("grid").type) == "list<element: list<element: int16>>"
        table = reader.read_all()
        table.validate(full=True)
        found = table.to_pylist()
    expected = [r.asDict(recursive=True) for r in frame.collect()]
    # A point in time: Arrow's has a zone, Spark's is in the session's.
    for one in (*found, *expected):
        if one["sums"] is not None and one["sums"]["at"] is not None:
            one["sums"]["at"] = [None if t is None else t.timestamp() for t in one["sums"]["at"]]
    assert found == expected


def test_kernels_step_over_nested_columns(spark):
    """As deep as types may be: Arrow's reader in C, which the kernels use, ends at a depth of its own."""
    deepest = "array<" * 31 + "int" + ">" * 31
    edges = spark.range(400).selectExpr(
        "if(id % 3 = 0, null, array(id, null)) tags",
        "id % 97 src",
        "named_struct('a', id, 'b', array('x')) info",
        "(id * 7) % 89 dst",
        "if(id % 2 = 0, null, array(named_struct('t', array(id)))) more",
        f"cast(null as {deepest}) deep",
    )
    expected = plain(sparkgap.graph.pagerank(edges.select("src", "dst")))
    assert plain(sparkgap.graph.pagerank(edges)) == expected
    stored = save(edges, "nested_edges")
    assert dict(stored.dtypes)["deep"] == deepest
    assert plain(sparkgap.graph.pagerank(stored)) == expected
    with pytest.raises(
        sparkgap.SparkGapError, match=r"edges\.tags: expected an integer or string column, found array<bigint>"
    ):
        sparkgap.graph.pagerank(stored, src="tags").count()
