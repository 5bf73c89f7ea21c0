// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.export

import java.nio.file.Path

import org.apache.spark.{SparkException, TaskContext}
import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.types.{IntegerType, LongType, StructField, StructType}
import org.junit.jupiter.api.{AfterAll, BeforeAll, Test, TestInstance}
import org.junit.jupiter.api.Assertions.{assertEquals, assertThrows, assertTrue}
import org.junit.jupiter.api.TestInstance.Lifecycle
import org.junit.jupiter.api.io.TempDir
import org.sparkgap.spark.LocalSpark
import org.sparkgap.spark.columns.Types
import org.sparkgap.spark.segments.{Homes, Tier}

/** Attempts of tasks whose segments are whole but whose result Spark does not count. */
@TestInstance(Lifecycle.PER_CLASS)
class LateTasksTest {
  private var store: Path = _
  private var spark: SparkSession = _

  @BeforeAll def start(@TempDir scratch: Path): Unit = {
    store = scratch.resolve("store")
    spark = LocalSpark.start(store, "spark.master" -> "local[2,4]")
  }

  @AfterAll def stop(): Unit = spark.stop()

  private def segments(table: String): Seq[String] = LocalSpark.segments(store).filter(_.matches(s"$table(\\..*)?/.*"))

  @Test def anAttemptThatFailsAfterItsFilesWereWholeLeavesNone(): Unit = {
    val failed = spark.sparkContext.longAccumulator
    val rows = spark.sparkContext.parallelize(0 until 1000, 2).mapPartitions { rows =>
      val task = TaskContext.get()
      if (task.attemptNumber() == 0 && task.partitionId() == 0) task.addTaskCompletionListener[Unit] { _ =>
        throw new IllegalStateException("when its result was there")
      }
      if (task.attemptNumber() > 0) failed.add(1)
      rows.map(Row(_))
    }
    spark.createDataFrame(rows, StructType(Seq(StructField("i", IntegerType)))).write.format("sparkgap").save("twice")
    assertEquals(1L, failed.sum, "one attempt was made again")
    assertEquals(499500L, spark.table("sparkgap.store.twice").agg("i" -> "sum").head().getLong(0))
    assertEquals(2, segments("twice").size, segments("twice").toString)
  }

  @Test def anAttemptThatEndsAfterItsExportLeavesNone(): Unit = {
    val schema = StructType(Seq(StructField("id", LongType, nullable = false)))
    val writing = new SegmentWriting("late", Types.columns("late", schema).toArray, Array.empty, 1 << 20,
      Homes().current().segments("late").toString, Tier.Memory)
    val rows = spark.range(0, 1000, 1, 2).queryExecution.toRdd
    val error =
      assertThrows(classOf[SparkException], () => { spark.sparkContext.runJob(rows, new RowTask(writing)); () })
    assertTrue(error.getMessage.contains("the export of late is over"), error.getMessage)
    assertEquals(Seq.empty, segments("late"))
  }
}
