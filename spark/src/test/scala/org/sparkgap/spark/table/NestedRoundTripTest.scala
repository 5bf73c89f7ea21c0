// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.table

import java.nio.file.Path

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.functions.{col, lit, map, struct, to_json}
import org.junit.jupiter.api.{AfterAll, BeforeAll, Test, TestInstance}
import org.junit.jupiter.api.Assertions.{assertEquals, assertTrue}
import org.junit.jupiter.api.TestInstance.Lifecycle
import org.junit.jupiter.api.io.TempDir
import org.sparkgap.spark.LocalSpark
import org.sparkgap.spark.export.PlanColumns
import org.sparkgap.spark.segments.Homes
import org.sparkgap.spark.LocalSpark.{refused, rows}

/** Arrays and structs into the store and back, by rows and by columns. */
@TestInstance(Lifecycle.PER_CLASS)
class NestedRoundTripTest {
  private var store: Path = _
  private var spark: SparkSession = _

  @BeforeAll def start(@TempDir scratch: Path): Unit = {
    store = scratch.resolve("store")
    spark = LocalSpark.start(store)
  }

  @AfterAll def stop(): Unit = spark.stop()

  /** Arrays of 0 to 4 elements and structs, nested; nulls on every level but where a type forbids them. */
  private def nested(n: Long): DataFrame = {
    def some(sql: String, k: Int) = s"if((id + $k) % 5 = 0, null, $sql)"
    def list(element: String) = s"transform(slice(sequence(0, 4), 1, cast(id % 6 as int)), i -> $element)"
    spark.range(0, n, 1, 3).selectExpr(
      "id",
      some(list("if(i = id % 4, null, i * id)"), 0) + " longs",
      some(list("cast(i + id as int)"), 1) + " ints",
      some(list("id % 3 = i"), 2) + " flags",
      some(list("cast(i as tinyint)"), 3) + " i8",
      some(list("cast(id % 30000 as smallint)"), 4) + " i16",
      some(list("if(i = 2, null, cast(id as float) / 3)"), 0) + " f32",
      some(list("id / 7"), 1) + " f64",
      some(list("date_from_unix_date(cast(id as int))"), 2) + " days",
      some(list("timestamp_micros(id * i)"), 3) + " ts",
      some(list("if(i = 1, null, concat('ä', id, i))"), 4) + " texts",
      some(list("cast(id - i as decimal(10,2))"), 0) + " decs",
      some("named_struct('a', id, 'b `c`', concat('v', id), 'raw', cast(concat('x', id) as binary))", 1) + " pair",
      "named_struct('x', id * 2, 'y', id / 3) point",
      some(list(s"named_struct('x', i * id, 'y', ${some("concat('p', i)", 2)}, 'sub', ${some(
            "named_struct('z', array(id, null))", 3)})"), 2) + " points",
      some(s"named_struct('list', ${some(list("cast(i * id * 12345678901 as decimal(38,2))"), 0)}, 'grid', " +
          s"${list("slice(array(id, i, null), 1, i % 4)")})",
        3) + " deep",
      "named_struct('flag', id % 2 = 0, 'never', named_struct('i', cast(id as int))) firm"
    )
  }

  private def text(data: DataFrame): Seq[String] =
    data.select(to_json(struct(col("*")), java.util.Map.of("ignoreNullFields", "false"))).collect().map(
      _.getString(0)).toSeq.sorted

  private def same(data: DataFrame, name: String): Unit = {
    val back = spark.table(s"sparkgap.store.$name")
    assertEquals(data.schema.map(f => (f.name, f.dataType, f.nullable)),
      back.schema.map(f => (f.name, f.dataType, f.nullable)))
    val sums = data.columns.map(c => s"sum(cast(xxhash64(`$c`) as decimal(38,0))) $c") :+ "count(*)"
    assertEquals(rows(data.selectExpr(sums.toIndexedSeq: _*)), rows(back.selectExpr(sums.toIndexedSeq: _*)), name)
    assertEquals(text(data.where("id < 60")), text(back.where("id < 60")), name)
    Homes().tables().get(name).verify()
  }

  private def way(query: DataFrame): String = PlanColumns.use(query, "test")(_.getClass.getSimpleName)

  @Test def nestedColumnsComeBackByRowsAndByColumns(@TempDir folder: Path): Unit = for (n <- Seq(1L, 20000L)) {
    val data = nested(n) // of one row most partitions are empty
    data.write.format("sparkgap").mode("overwrite").save("by_rows")
    same(data, "by_rows")
    spark.table("sparkgap.store.by_rows").write.format("sparkgap").mode("overwrite").save("by_columns")
    same(data, "by_columns")
    val cached = data.where("id < 15000").cache()
    cached.write.format("sparkgap").mode("overwrite").save("by_cache")
    same(cached, "by_cache")
    cached.unpersist()
    data.write.mode("overwrite").parquet(folder.resolve("t").toString)
    for (outside <- Seq("false", "true")) {
      spark.conf.set("spark.sql.columnVector.offheap.enabled", outside)
      val parquet = spark.read.parquet(folder.resolve("t").toString)
      assertEquals("Batches", way(parquet))
      parquet.write.format("sparkgap").mode("overwrite").save("by_batches")
      same(parquet, "by_batches")
    }
    spark.conf.unset("spark.sql.columnVector.offheap.enabled")
  }

  @Test def singleFieldsAndElementsAreRead(): Unit = {
    val data = nested(80000)
    data.repartition(1).write.format("sparkgap").save("fields")
    val back = spark.table("sparkgap.store.fields")
    assertEquals("Stored", way(back.select("pair", "longs")))
    assertTrue(back.rdd.getNumPartitions > 1, "tasks begin inside of batches")
    def both(query: DataFrame => DataFrame): Unit = assertEquals(text(query(data)), text(query(back)))
    both(_.select("pair.a", "deep.list", "id").agg("a" -> "sum", "id" -> "max"))
    both(_.selectExpr("max(point.y)", "sum(size(points.sub.z))", "sum(get(longs, 1))", "count(pair.`b ``c```)"))
    both(_.where("pair.a > 79000 and get(points, 0).x is not null").select("points.y", "firm.never"))
    both(_.selectExpr("id", "inline(points)").where("x > 310000"))
    both(_.groupBy("pair").count().agg("count" -> "sum"))
    both(_.where("id % 1000 = 7").orderBy(col("points.y").desc, col("id")).limit(50))
    both(d =>
      d.select("id", "texts").join(d.selectExpr("id + 1 id", "deep.grid").toDF("id", "grid"), "id").where("id < 50"))
  }

  @Test def whatIsNotKeptIsRefused(): Unit = {
    val data = spark.range(3).select(col("id"), struct(map(lit(1), lit(2)).as("m")).as("odd"))
    refused(3, "odd.odd: expected a type that the store keeps")(data.write.format("sparkgap").save("odd"))
    refused(3, "found struct<>")(
      spark.sql("SELECT from_json('{}', 'struct<>') s").write.format("sparkgap").save("nofields"))
  }
}
