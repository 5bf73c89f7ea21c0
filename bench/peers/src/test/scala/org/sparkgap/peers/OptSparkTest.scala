// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.peers

import java.nio.file.Path

import scala.jdk.CollectionConverters._
import scala.util.Random

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.junit.jupiter.api.{AfterAll, AfterEach, BeforeAll, Test, TestInstance}
import org.junit.jupiter.api.Assertions.{assertEquals, assertThrows, assertTrue}
import org.junit.jupiter.api.TestInstance.Lifecycle
import org.junit.jupiter.api.io.TempDir
import org.sparkgap.peers.optspark.OptSpark
import org.sparkgap.spark.LocalSpark
import org.sparkgap.spark.kernel.SparkEngine

/** Products of matrix and vector in tasks: the same results as GraphX's. */
@TestInstance(Lifecycle.PER_CLASS)
class OptSparkTest {
  private var spark: SparkSession = _

  @BeforeAll def start(@TempDir scratch: Path): Unit = spark = LocalSpark.start(scratch.resolve("store"))

  @AfterAll def stop(): Unit = if (spark != null) spark.stop()

  @AfterEach def nothingStaysCached(): Unit =
    assertEquals(Set.empty, spark.sparkContext.getPersistentRDDs.values.map(_.toString).toSet)

  private def edges(pairs: (Long, Long)*): DataFrame = spark.createDataFrame(pairs).toDF("src", "dst").repartition(5)

  /** Of many vertices without edges between them, loops, the same edge twice, ids far apart. */
  private def random(seed: Int): Seq[(Long, Long)] = {
    val draw = new Random(seed)
    val ids = Array.fill(draw.between(1, 200))(draw.nextLong())
    Seq.fill(draw.between(1, 500))((ids(draw.nextInt(ids.length)), ids(draw.nextInt(ids.length))))
  }

  private def graphx(engine: SparkEngine, table: DataFrame, parameters: (String, Any)*): Map[Long, Double] = {
    val all = Map[String, Any]("src" -> "src", "dst" -> "dst", "weight" -> null, "directed" -> true) ++ parameters
    val outcome = engine.run(spark, Map("edges" -> table), all)
    try values(outcome.result)
    finally outcome.release()
  }

  private def values(table: DataFrame): Map[Long, Double] =
    table.collect().map(row => row.getLong(0) -> row.getDouble(1)).toMap

  private def assertSame(expected: Map[Long, Double], found: Map[Long, Double], what: String): Unit = {
    assertEquals(expected.keySet, found.keySet, what)
    expected.foreach { case (id, value) =>
      assertTrue(value == found(id) || math.abs(value - found(id)) <= 1e-9 * value, s"$what: $id: $value, ${found(id)}")
    }
  }

  @Test def ranksAreGraphxs(): Unit = for (seed <- 1 to 5; iterations <- Seq(1L, 7L)) {
    val table = edges(random(seed): _*)
    val expected =
      graphx(GraphxPagerank, table, "variant" -> "graphx", "damping" -> 0.85, "max_iterations" -> iterations,
        "source_ids" -> null, "tolerance" -> null)
    assertSame(expected, values(OptSpark.pagerank(table, iterations.toInt).table), s"$seed, $iterations iterations")
  }

  @Test def distancesAreGraphxs(): Unit = for (seed <- 1 to 5) {
    val pairs = random(seed)
    val expected = graphx(GraphxSssp, edges(pairs: _*), "source" -> pairs.head._1.toString)
    assertSame(expected, values(OptSpark.sssp(edges(pairs: _*), pairs.head._1).table), s"$seed")
  }

  @Test def fewerVerticesThanTasks(): Unit =
    assertEquals(Map(7L -> 0.0, 9L -> 1.0), values(OptSpark.sssp(edges((7L, 9L)), 7).table))

  @Test def aSourceThatIsNotThere(): Unit = {
    val thrown = assertThrows(classOf[IllegalArgumentException], () => { OptSpark.sssp(edges((7L, 9L)), 8); () })
    assertTrue(thrown.getMessage.contains("source: expected an id of the graph, found 8"), thrown.getMessage)
  }

  @Test def partsOfTheTime(): Unit = {
    edges(random(3): _*).createOrReplaceTempView("edges")
    val begin = System.nanoTime()
    val ranked = OptSpark.pagerank("edges", 4, "ranks").asScala
    val moved = OptSpark.movesOnly(Array(1000, 10), Array(10, 1000), 3).asScala
    assertEquals(spark.table("edges").selectExpr("explode(array(src, dst))").distinct().count(),
      spark.table("ranks").count())
    val seconds = (System.nanoTime() - begin) / 1e9
    assertEquals(Set("build_s", "prepare_s", "read_s", "spmv_s", "collect_s", "driver_s"), ranked.keySet)
    assertEquals(Set("prepare_s", "collect_s", "driver_s"), moved.keySet)
    val all = (ranked.values ++ moved.values).map(_.doubleValue)
    assertTrue(all.forall(_ >= 0) && all.sum <= seconds, s"$all of $seconds")
  }
}
