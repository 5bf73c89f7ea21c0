# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Tables of the store: every type with nulls there and back, through columnar and row plans, as plain Arrow files on
disk.
"""

import datetime
import json
from decimal import Decimal
from pathlib import Path

import pyarrow.ipc
import pytest
from match import compare

import sparkgap

UTC = datetime.timezone.utc
TYPES = {
    "boolean": [True, False],
    "tinyint": [-128, 127],
    "smallint": [-(2**15), 2**15 - 1],
    "int": [-(2**31), 2**31 - 1],
    "bigint": [-(2**63), 2**63 - 1],
    "float": [1.5, float("-inf")],
    "double": [5e-324, 1.7976931348623157e308],
    "decimal(10,2)": [Decimal("-12345678.90"), Decimal("0.01")],
    "decimal(38,10)": [Decimal("9999999999999999999999999999.9999999999"), Decimal("-0.0000000001")],
    "date": [datetime.date(1, 1, 1), datetime.date(2026, 2, 28)],
    "timestamp": [datetime.datetime(1970, 1, 1, 0, 0, 0, 1, UTC), datetime.datetime(2026, 7, 1, 12, 0, 0, 999999, UTC)],
    "timestamp_ntz": [datetime.datetime(1900, 1, 1), datetime.datetime(2026, 3, 29, 2, 30)],
    "string": ["", "grün 🙂 \0 'x' \\"],
    "binary": [b"", b"\0\xff" * 40],
}
SCHEMA = "id int, " + ", ".join(f"c{i} {kind}" for i, kind in enumerate(TYPES))


def rows(n):
    """Values and nulls in changing patterns; the last column's rows are all null."""
    columns = list(TYPES.values())
    return [
        (i, *(None if (i + j) % 3 == 0 or (i + j) % 7 == 0 else c[(i + j) % 2] for j, c in enumerate(columns)))
        for i in range(n)
    ]


def save(frame, name):
    frame.write.format("sparkgap").mode("overwrite").save(name)


def same(spark, frame, name):
    back = spark.read.format("sparkgap").load(name)
    assert back.dtypes == frame.dtypes
    assert back.count() == frame.count()
    match = compare(back.toArrow(), frame.toArrow(), rule="exact")
    # pyarrow's equality holds a null to be unequal to a null: sort and compare as Python values.
    if not match.ok:
        assert sorted(map(repr, back.collect())) == sorted(map(repr, frame.collect()))


@pytest.mark.parametrize("n", [0, 1, 100])
def test_every_type_with_nulls_by_rows(spark, n):
    frame = spark.createDataFrame(rows(n), SCHEMA)
    save(frame, f"rows_{n}")
    same(spark, frame, f"rows_{n}")


@pytest.mark.parametrize("kind", ["parquet", "cached"])
def test_every_type_with_nulls_by_columns(spark, tmp_path, kind):
    frame = spark.createDataFrame(rows(3000), SCHEMA).repartition(3)
    frame.write.parquet(str(tmp_path / "t"))
    frame = spark.read.parquet(str(tmp_path / "t"))
    if kind == "cached":
        frame = frame.cache()
        frame.count()
    save(frame, "columns")
    same(spark, frame, "columns")
    if kind == "cached":
        frame.unpersist()


def test_batches_and_filters(spark):
    frame = spark.range(200_000).selectExpr("id", "cast(id as string) as s", "if(id % 5 = 0, null, id * 0.5) as x")
    save(frame, "long")
    back = spark.read.format("sparkgap").load("sparkgap.store.long")
    assert (
        back.filter("id % 1000 = 7 and x is not null").select("s").count()
        == frame.filter("id % 1000 = 7 and x is not null").count()
    )
    assert back.agg({"id": "sum", "x": "sum"}).collect() == frame.agg({"id": "sum", "x": "sum"}).collect()
    assert back.limit(3).count() == 3
    assert back.select().count() == 200_000
    joined = back.alias("a").join(back.alias("b"), "id").count()
    assert joined == 200_000


def test_any_arrow_reader_opens_a_segment(spark, store):
    save(spark.createDataFrame(rows(50), SCHEMA).coalesce(1), "plain")
    manifests = list(store.path.glob("*/tables/plain.json"))
    assert len(manifests) == 1
    manifest = json.loads(manifests[0].read_text())
    assert manifest["rows"] == 50
    found = 0
    for segment in manifest["segments"]:
        assert Path(segment["path"]).stat().st_size == segment["bytes"]
        with pyarrow.memory_map(segment["path"]) as source:
            table = pyarrow.ipc.open_file(source).read_all()
        table.validate(full=True)
        found += table.num_rows
        assert table.column_names == [f["name"] for f in manifest["schema"]]
    assert found == 50


def test_the_store_is_the_users_own(spark, store):
    for place in [store.path, *store.path.rglob("*")]:
        if place.is_dir():
            assert place.stat().st_mode & 0o077 == 0, place


@pytest.mark.parametrize(
    "ddl", ["array<void>", "map<int,int>", "struct<a:map<int,int>>", "void", "interval day to second", "variant"]
)
def test_a_type_that_is_not_kept_is_refused_by_name(spark, store, ddl):
    frame = spark.sql(f"select 1 as id, cast(null as {ddl}) as odd")
    before = store.files()
    with pytest.raises(Exception, match=r"odd: expected a type that the store keeps") as caught:
        save(frame, "odd")
    assert '[SPARKGAP {"code":3' in str(caught.value)
    assert store.files() == before


def test_saving_again(spark, store):
    save(spark.range(10), "again")
    first = len([f for f in store.files() if "/again/" in f])
    save(spark.range(20), "again")
    assert spark.read.format("sparkgap").load("again").count() == 20
    assert len([f for f in store.files() if "/again/" in f]) == first
    with pytest.raises(Exception, match="expected a name that is free"):
        spark.range(1).write.format("sparkgap").save("again")
    with pytest.raises(Exception, match="expected a table of the store"):
        spark.read.format("sparkgap").load("nothing").count()


def test_a_call_leaves_the_callers_cache_alone(spark):
    edges = spark.range(100).selectExpr("id src", "(id * 7) % 100 dst").repartition(2).cache()
    try:
        assert edges.count() == 100
        sparkgap.graph.degree(edges).count()
        assert edges.storageLevel.useMemory
    finally:
        edges.unpersist()


KRYO = {"spark.serializer": "org.apache.spark.serializer.KryoSerializer", "spark.kryo.unsafe": "true"}


def test_with_kryo(own):
    spark = sparkgap.session("local[2]", conf=KRYO)
    assert spark.sparkContext.getConf().get("spark.serializer") == KRYO["spark.serializer"]
    edges = spark.range(1000).selectExpr("id src", "(id * 7) % 100 dst").cache()
    for engine in ("native", "spark"):
        assert sparkgap.graph.degree(edges, engine=engine).cache().count() == 1000
    save(edges, "a")
    save(spark.read.format("sparkgap").load("a"), "b")
    assert spark.table("sparkgap.store.b").count() == 1000
