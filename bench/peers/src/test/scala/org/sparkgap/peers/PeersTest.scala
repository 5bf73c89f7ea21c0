// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.peers

import java.nio.file.Path

import org.apache.spark.sql.{DataFrame, Row, SparkSession}
import org.junit.jupiter.api.{AfterAll, BeforeAll, Test, TestInstance}
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.TestInstance.Lifecycle
import org.junit.jupiter.api.io.TempDir
import org.sparkgap.spark.LocalSpark
import org.sparkgap.spark.LocalSpark.{refused, rows}

/** CALL with `engine => 'spark'`, which finds the engines on the class path, beside the real kernels. */
@TestInstance(Lifecycle.PER_CLASS)
class PeersTest {
  private var spark: SparkSession = _

  @BeforeAll def start(@TempDir scratch: Path): Unit = {
    LocalSpark.requireKernels()
    spark = LocalSpark.start(scratch.resolve("store"))
    val edges = Seq((1L, 2L), (2L, 3L), (3L, 1L), (4L, 1L), (4L, 4L), (4L, 1L), (5L, 9L))
    spark.createDataFrame(edges).toDF("src", "dst").createOrReplaceTempView("edges")
    spark.createDataFrame(edges.map { case (a, b) => (s"v$a", s"v$b") }).toDF("src", "dst").createOrReplaceTempView(
      "names")
    spark.createDataFrame(Seq(Tuple1(9L), Tuple1(77L))).toDF("id").createOrReplaceTempView("vertices")
  }

  @AfterAll def stop(): Unit = if (spark != null) spark.stop()

  private def call(kernel: String, arguments: String): Row =
    spark.sql(s"CALL sparkgap.graph.$kernel($arguments)").head()

  private def result(kernel: String, arguments: String): DataFrame =
    spark.table(call(kernel, arguments).getAs[String]("table"))

  private def ranks(arguments: String): Map[String, Double] =
    result("pagerank", arguments).collect().map(r => r.get(0).toString -> r.getDouble(1)).toMap

  @Test def ranksAgree(): Unit = for (arguments <- Seq(
      "edges => 'edges'",
      "edges => 'names', max_iterations => 9",
      "edges => 'edges', vertices => 'vertices', damping => 0.5, max_iterations => 9",
      "edges => 'edges', directed => false, max_iterations => 7",
      "edges => 'edges', source_ids => array(4), max_iterations => 9",
      "edges => 'names', source_ids => array('v4'), max_iterations => 9",
      "edges => 'edges', max_iterations => 0",
      "edges => 'edges', damping => 1, max_iterations => 9",
      "edges => 'edges', damping => 0, max_iterations => 9"
    )) {
    val (expected, found) = (ranks(s"$arguments, engine => 'spark'"), ranks(arguments))
    assertEquals(expected.keySet, found.keySet, arguments)
    expected.foreach { case (id, rank) =>
      assertEquals(rank, found(id), 1e-9 * math.max(1, math.abs(rank)), s"$arguments: $id")
    }
  }

  @Test def degreesAgree(): Unit = for (directed <- Seq(true, false); table <- Seq("edges", "names")) {
    def degrees(engine: String): Seq[String] =
      rows(result("degree", s"'$table', directed => $directed, engine => '$engine'"))
    assertEquals(degrees("spark"), degrees("native"))
  }

  /** The weights of the first partition and the last lie in the store in other types. */
  @Test def distancesAgreeWhateverTheWeightsAreCopiedAs(): Unit = {
    spark.range(0, 300000, 1, 2).selectExpr("id % 100 AS src", "id % 1000 AS dst",
      "if(id > 290000, 1L << 40, 1 + id % 7) AS weight").createOrReplaceTempView("weighted")
    def distances(arguments: String): Seq[String] =
      rows(result("sssp", s"'weighted', weight => 'weight', source => 1, $arguments"))
    assertEquals(distances("engine => 'spark'"), distances("ranks => 2"))
  }

  @Test def nobodyGivesMemory(): Unit = {
    val row = call("pagerank", "edges => 'edges', engine => 'spark'")
    assertEquals((0L, null), (row.getAs[Long]("memory_bytes"), row.getAs[String]("memory_from")))
  }

  @Test def badInputIsRefused(): Unit = {
    spark.sql("SELECT * FROM VALUES (1L, 2L), (CAST(NULL AS BIGINT), 2L) AS t(src, dst)").createOrReplaceTempView(
      "nulls")
    refused(3, "edges.src: expected no nulls, found 1")(call("pagerank", "edges => 'nulls', engine => 'spark'"))
    refused(3, "source_ids: expected ids")(call("pagerank",
        "edges => 'edges', source_ids => array(12345), engine => 'spark'"))
    refused(2, "variant: expected graphx with engine => 'spark', found 'ldbc'")(call("pagerank",
        "edges => 'edges', variant => 'ldbc', engine => 'spark'"))
    refused(2, "engine: expected native for rmat (spark is there for bfs, components, degree, ")(
      spark.sql("CALL sparkgap.graph.rmat(engine => 'spark')"))
  }
}
