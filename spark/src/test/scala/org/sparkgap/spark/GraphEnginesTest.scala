// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark

import java.nio.file.Path

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.junit.jupiter.api.{AfterAll, AfterEach, BeforeAll, Test, TestInstance}
import org.junit.jupiter.api.Assertions.{assertEquals, assertTrue}
import org.junit.jupiter.api.TestInstance.Lifecycle
import org.junit.jupiter.api.io.TempDir

/** The engines of `engine => 'spark'`, without kernels beside them: against plain oracles. */
@TestInstance(Lifecycle.PER_CLASS)
class GraphEnginesTest {
  private val Pagerank = Seq[(String, Any)]("variant" -> "graphx", "damping" -> 0.85, "max_iterations" -> 2L, "source_ids" -> null, "tolerance" -> null)
  private var spark: SparkSession = _

  @BeforeAll def start(@TempDir scratch: Path): Unit = spark = LocalSpark.start(scratch.resolve("store"))

  @AfterAll def stop(): Unit = if (spark != null) spark.stop()

  @AfterEach def nothingStaysCached(): Unit = assertEquals(Set.empty, spark.sparkContext.getPersistentRDDs.values.map(_.toString).toSet)

  private def run(engine: SparkEngine, inputs: Map[String, DataFrame], parameters: (String, Any)*): (Seq[String], Map[Any, Any]) = {
    val outcome = engine.run(spark, inputs, Map[String, Any]("src" -> "src", "dst" -> "dst", "weight" -> null, "directed" -> true) ++ parameters)
    try {
      val rows = outcome.result.collect()
      val values = rows.map(row => row.get(0) -> row.get(1)).toMap
      assertEquals(rows.length, values.size, "each id once")
      assertEquals(inputs("edges").count(), outcome.rowsIn)
      (outcome.result.dtypes.map { case (name, kind) => s"$name $kind" }.toSeq, values)
    } finally {
      outcome.release()
    }
  }

  @Test def ranksLeaveNothingCached(): Unit = for (tolerance <- Seq(null, 0.1); sources <- Seq(null, java.util.List.of("1"))) {
    val edges = spark.createDataFrame(Seq((1, 2), (2, 1), (2, 3))).toDF("src", "dst")
    val (columns, ranks) = run(GraphxPagerank, Map("edges" -> edges), Pagerank ++ Seq("source_ids" -> sources, "tolerance" -> tolerance): _*)
    assertEquals((Seq("id LongType", "pagerank DoubleType"), Set[Any](1L, 2L, 3L)), (columns, ranks.keySet))
    nothingStaysCached()
  }

  @Test def theUsersCachesStay(): Unit = {
    val edges = spark.createDataFrame(Seq((1L, 2L), (2L, 3L))).toDF("src", "dst").cache()
    edges.count()
    val before = spark.sparkContext.getPersistentRDDs.keySet
    assertEquals(1, before.size)
    run(GraphxPagerank, Map("edges" -> edges), Pagerank: _*)
    assertEquals(before, spark.sparkContext.getPersistentRDDs.keySet)
    edges.unpersist(blocking = true)
  }
}
