// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.table

import java.nio.file.Path

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.execution.LocalTableScanExec
import org.apache.spark.sql.functions.{col, hex, udf}
import org.junit.jupiter.api.{AfterAll, BeforeAll, Test, TestInstance}
import org.junit.jupiter.api.Assertions.{assertEquals, assertTrue}
import org.junit.jupiter.api.TestInstance.Lifecycle
import org.junit.jupiter.api.io.TempDir
import org.sparkgap.spark.{AllTypes, LocalSpark}
import org.sparkgap.spark.application.Conf
import org.sparkgap.spark.export.PlanColumns
import org.sparkgap.spark.segments.Homes
import org.sparkgap.spark.LocalSpark.{refused, rows, segments}

/** DataFrames into the store and back, by columns and by rows, with Spark's own cache. */
@TestInstance(Lifecycle.PER_CLASS)
class StoreRoundTripTest {
  private var store: Path = _
  private var spark: SparkSession = _

  @BeforeAll def start(@TempDir scratch: Path): Unit = {
    store = scratch.resolve("store")
    spark = LocalSpark.start(store, Conf.Cache.key -> "false")
  }

  @AfterAll def stop(): Unit = {
    spark.stop()
    assertEquals(Seq.empty, segments(store), "the home goes with the application")
  }

  @Test def everyTypeComesBackByRowsAndByColumns(): Unit = for (n <- Seq(0L, 1L, 70000L)) {
    val data = AllTypes(spark, n)
    data.write.format("sparkgap").mode("overwrite").save("by_rows")
    val cached = data.cache()
    assertEquals(n, cached.count())
    cached.write.format("sparkgap").mode("overwrite").save("by_cache")
    spark.read.format("sparkgap").load("by_rows").write.format("sparkgap").mode("overwrite").save("by_columns")
    for (name <- Seq("by_rows", "by_cache", "by_columns")) {
      val back = spark.table(s"sparkgap.store.$name")
      assertEquals(data.schema.map(f => (f.name, f.dataType)), back.schema.map(f => (f.name, f.dataType)))
      assertEquals(AllTypes.sums(data), AllTypes.sums(back), s"$name of $n rows")
      def some(table: DataFrame) = rows(table.where("id < 50").withColumn("raw", hex(col("raw"))))
      assertEquals(some(data), some(back))
      Homes().tables().get(name).verify()
    }
    data.unpersist()
  }

  @Test def allRowsAreCountedByTheManifest(): Unit = {
    spark.range(0, 1000, 1, 3).selectExpr("id", "if(id % 2 = 0, null, id) odd").write.format("sparkgap").save("counted")
    spark.range(0).write.format("sparkgap").save("counted_none")
    val table = spark.table("sparkgap.store.counted")
    // The whole plan, so that there is no job.
    val count = table.groupBy().count().queryExecution.executedPlan
    assertTrue(count.isInstanceOf[LocalTableScanExec], count.toString)
    assertEquals(Seq("[1000,1000]"), rows(spark.sql("SELECT count(*), count(1) + 0 FROM sparkgap.store.counted")))
    assertEquals(
      Seq(1000L, 10L, 7L, 2000L, 0L),
      Seq(table, table.where("id < 10"), table.limit(7), table.union(table),
        spark.table("sparkgap.store.counted_none")).map(_.count())
    )
    val inside = spark.sql(
      "SELECT (SELECT count(*) FROM sparkgap.store.counted) a, id, n FROM range(1) JOIN (SELECT count(*) + 1 n FROM " +
        "sparkgap.store.counted HAVING count(*) > 50)")
    assertEquals(Seq("[1000,0,1001]"), rows(inside))
    assertEquals(Seq.empty, rows(spark.sql("SELECT count(*) FROM sparkgap.store.counted_none HAVING count(*) > 0")))
    assertEquals(Seq("[500,1000,499500]"), rows(table.selectExpr("count(odd)", "count(*)", "sum(id)")))
    assertEquals(501, table.groupBy("odd").count().count())
  }

  /**
   * Batches of a cached table are read into the same vectors: nothing of one may show in the next. Few different values
   * are compressed by Spark.
   */
  @Test def cachedColumnsComeBackBatchByBatch(): Unit = {
    val last = 25000
    def some(sql: String) = s"if(id < 10000 and id % 3 = 0 or id = $last, null, $sql)"
    val data = spark.range(0, last + 1, 1, 1).selectExpr(
      some("id % 2 = 0") + " b",
      some("cast(id % 7 as tinyint)") + " i8",
      some("cast(id % 30000 as smallint)") + " i16",
      some("cast(id % 3 as int)") + " i32",
      some("xxhash64(id)") + " i64",
      some("cast(id as float) / 3") + " f32",
      some("id / 7") + " f64",
      "id",
      "cast(null as bigint) none",
      "if(id < 10000, id % 5, id) * 1000 turns",
      "if(id < 10000, id, id % 5) * 1000 returns",
      "concat('v', id) name"
    ).cache()
    assertEquals(last + 1, data.count())
    val asked = data.select("f64", "b", "i8", "i16", "i32", "i64", "f32", "id", "none", "turns", "returns")
    PlanColumns.use(asked, "test") { plan => assertTrue(plan.isInstanceOf[PlanColumns.Cached], plan.toString) }
    asked.write.format("sparkgap").save("batch_by_batch")
    val back = spark.table("sparkgap.store.batch_by_batch")
    assertEquals(0, asked.exceptAll(back).count())
    assertEquals(0, back.exceptAll(asked).count())
    data.unpersist()
  }

  @Test def columnsTakeTheShortWay(): Unit = {
    val data = spark.range(0, 100000, 1, 2).selectExpr("id src", "id + 1 dst", "concat('v', id) name").cache()
    data.count()
    def way(query: DataFrame): String = PlanColumns.use(query, "test") {
      case _: PlanColumns.Stored => "stored"
      case _: PlanColumns.CachedStored => "cached in the store"
      case _: PlanColumns.Cached => "cached"
      case _: PlanColumns.Batches => "batches"
      case _: PlanColumns.Rows => "rows"
    }
    assertEquals("cached", way(data.select("src", "dst")))
    assertEquals("cached", way(data.select("dst", "src")))
    assertEquals("cached", way(data.select(col("src").as("from"), col("dst"))))
    assertEquals("rows", way(data.where("src > 5")))
    assertEquals("rows", way(data.select(col("src") + 1)))
    data.write.format("sparkgap").save("ways")
    val stored = spark.table("sparkgap.store.ways")
    assertEquals("stored", way(stored))
    assertEquals("stored", way(stored.select("dst", "src")))
    assertEquals("batches", way(stored.select(col("dst").as("src"), col("src").as("dst"))),
      "names swapped are not the file's names")
    assertEquals("rows", way(stored.limit(5)))
    assertEquals("rows", way(stored.where("src > 5")))
    stored.select(col("dst").as("src"), col("src").as("dst")).write.format("sparkgap").save("swapped")
    assertEquals("[1,0]", spark.table("sparkgap.store.swapped").where("dst = 0").head().toString)
    data.unpersist()
  }

  @Test def tasksReadEqualShares(): Unit = {
    spark.range(0, 300000, 1, 1).write.format("sparkgap").save("shares")
    val table = spark.table("sparkgap.store.shares")
    assertEquals(2, table.rdd.getNumPartitions)
    assertEquals(Seq(150000L, 150000L), table.rdd.mapPartitions(rows => Iterator(rows.size.toLong)).collect().toSeq)
    assertEquals((0L until 300000L).sum, table.agg("id" -> "sum").head().getLong(0))
    assertEquals(300000L,
      StoreScan(Homes().tables().get("shares"), table.schema).estimateStatistics().numRows().getAsLong)
    assertEquals(300000, table.count())
    assertEquals(7, table.limit(7).count())
  }

  @Test def saveModes(): Unit = {
    val data = spark.range(10).toDF("id")
    data.write.format("sparkgap").save("modes")
    refused(2, "table 'modes': expected a name that is free")(data.write.format("sparkgap").save("modes"))
    refused(2, "append: tables are written once")(data.write.format("sparkgap").mode("append").save("modes"))
    refused(2, "expected letters, digits")(data.write.format("sparkgap").save("a/b"))
    spark.range(3).toDF("id").write.format("sparkgap").mode("ignore").save("modes")
    assertEquals(10, spark.table("sparkgap.store.modes").count())
    spark.range(3).toDF("id").write.format("sparkgap").mode("overwrite").save("modes")
    assertEquals(3, spark.table("sparkgap.store.modes").count())
    spark.table("sparkgap.store.modes").write.format("sparkgap").mode("overwrite").save("modes")
    assertEquals(3, spark.read.format("sparkgap").load("sparkgap.store.modes").count(),
      "a table may be written over by itself")
    spark.sql("DROP TABLE sparkgap.store.modes")
    refused(2, "table 'modes': expected a table of the store")(spark.read.format("sparkgap").load("modes").count())
    refused(2, "expected tables written with df.write")(spark.sql("CREATE TABLE sparkgap.store.x (a int)"))
    assertEquals(Seq.empty, segments(store).filter(_.contains("modes")))
  }

  @Test def aFailedWriteLeavesNothing(): Unit = {
    val before = segments(store).toSet
    val broken = udf((id: Long) => if (id == 250000) throw new IllegalStateException("broken row") else id)
    try spark.range(0, 300000, 1, 3).select(broken(col("id")).as("id")).write.format("sparkgap").save("broken")
    catch {
      case e: Exception =>
        assertTrue(e.toString.contains("broken") || e.getCause.toString.contains("broken"), e.toString)
    }
    assertEquals(before, segments(store).toSet)
    assertEquals(0, spark.sql("SHOW TABLES IN sparkgap.store").where("tableName = 'broken'").count())
    refused(3, "maps.m: expected a type that the store keeps")(
      spark.sql("SELECT map(1, 2) m").write.format("sparkgap").save("maps"))
    refused(3, "found interval")(
      spark.sql("SELECT make_ym_interval(1, 2) i").write.format("sparkgap").save("intervals"))
  }
}
