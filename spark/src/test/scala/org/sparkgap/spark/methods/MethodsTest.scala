// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.methods

import java.nio.file.{Files, Path, Paths}

import scala.math.BigDecimal.RoundingMode

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.junit.jupiter.api.{AfterAll, BeforeAll, Test, TestInstance}
import org.junit.jupiter.api.Assertions.{assertEquals, assertFalse, assertTrue}
import org.junit.jupiter.api.TestInstance.Lifecycle
import org.junit.jupiter.api.io.TempDir
import org.sparkgap.spark.LocalSpark
import org.sparkgap.spark.LocalSpark.refused
import org.sparkgap.spark.application.SparkGap
import org.sparkgap.spark.syntax._

/** The typed methods of Scala with the real kernels, and those of Java. */
@TestInstance(Lifecycle.PER_CLASS)
class MethodsTest {
  private var spark: SparkSession = _
  private var edges: DataFrame = _

  /** Published names outlive a test that fails. */
  private val word = System.nanoTime().toString

  @BeforeAll def start(@TempDir scratch: Path): Unit = {
    LocalSpark.requireKernels()
    spark = LocalSpark.start(scratch.resolve("store"))
    edges = spark.createDataFrame(Seq((1L, 2L), (2L, 3L), (3L, 1L), (4L, 1L), (4L, 4L), (4L, 1L), (5L, 9L))).toDF("src",
      "dst")
  }

  @AfterAll def stop(): Unit = if (spark != null) spark.stop()

  private def values(result: DataFrame): Map[String, Any] = result.collect().map(row =>
    row.get(0).toString -> (row.get(1) match {
      case number: Double => BigDecimal(number).setScale(12, RoundingMode.HALF_UP)
      case other => other
    })).toMap

  @Test def graphKernelsTakeTypedArguments(): Unit = {
    val vertices = spark.createDataFrame(Seq(Tuple1(9L), Tuple1(77L))).toDF("id")
    vertices.createOrReplaceTempView("more")
    edges.createOrReplaceTempView("edges")
    val row = spark.sql("CALL sparkgap.graph.pagerank(edges => 'edges', damping => 0.5, max_iterations => 10, " +
      "vertices => 'more', source_ids => array('4'))").head()
    val expected = values(spark.table(row.getAs[String]("table")))
    assertEquals(7, expected.size)
    assertEquals(expected,
      values(edges.sparkgap.pagerank(damping = 0.5, max_iterations = 10, vertices = vertices,
          source_ids = Seq(4))))
    assertEquals(
      expected,
      values(edges.sparkgap.pagerank(damping = 0.5, max_iterations = Some(10).get, vertices = "more",
          source_ids = Some(Seq(VertexId.of(4L))), ranks = None, threads = 1, tolerance = None, timeout_s = 600))
    )
    assertEquals(values(edges.sparkgap.bfs(1)), values(edges.sparkgap.bfs(source = "1")))
    assertEquals(Some(2), values(edges.sparkgap.bfs(1L)).get("3").map(_.toString.toInt))
    assertEquals("sparkgap.store.named",
      edges.sparkgap.call("degree", "result" -> "named", "vertices" -> vertices).getAs[String]("table"))
    assertEquals(7, spark.table("sparkgap.store.named").count())
    assertEquals(16 << 6, spark.sparkgap.rmat(scale = 6).count())
  }

  @Test def whatIsWrongIsSaid(): Unit = {
    refused(2, "variant: expected one of graphx, ldbc, found 'it's'")(edges.sparkgap.pagerank(variant = "it's"))
    refused(2, "damping: expected a number in [0, 1], found 2")(edges.sparkgap.pagerank(damping = 2))
    refused(2, "call: expected names of letters, digits and _, found 'x => 1, y'")(
      edges.sparkgap.call("degree", "x => 1, y" -> 2))
    refused(2, "program: expected a program that can be run, found nothing at /nowhere")(
      edges.sparkgap.program("/nowhere").max_iterations(3).parameter("source", 5).run())
    val plain = spark.newSession()
    plain.conf.unset(SparkGap.VersionKey)
    refused(2, "session: expected a Spark session with spark.plugins=")(plain.range(3).toDF("src").sparkgap.degree())
    assertEquals(0, spark.catalog.listTables().where("name like 'sparkgap_%'").count(), "no view is left")
  }

  @Test def aGraphIsBuiltOnceAndPublished(): Unit = {
    val graph = edges.sparkgap.build(result = "web")
    assertEquals("web", graph.name)
    assertEquals(values(edges.sparkgap.pagerank()), values(graph.pagerank()))
    assertEquals(values(edges.sparkgap.pagerank()), values(spark.sparkgap.graph("web").pagerank(threads = 1)))
    assertEquals(6, graph.vertices.count())
    val edition = graph.publish(s"web_$word")
    assertEquals((1L, 0L), (edition.edition, edition.bytesCopied))
    val published = spark.sparkgap.graph(s"published.web_$word")
    published.close()
    assertEquals(6, published.vertices.count(), "it is still there")
    assertEquals(values(graph.degree()), values(spark.sparkgap.graph(s"published.web_$word").degree()))
    spark.sql("DROP TABLE sparkgap.store.web")
    edges.sparkgap.build(result = "web")
    refused(2, "graph: expected a graph 'web', the one that was built")(graph.pagerank())
    graph.drop()
    assertTrue(spark.catalog.tableExists("sparkgap.store.web"), "another graph of that name")
    spark.sparkgap.graph("web").drop()
    assertFalse(spark.catalog.tableExists("sparkgap.store.web"))
    val rows = edges.sparkgap.publish(s"edges_$word")
    assertEquals(edges.count(), rows.table.count())
    spark.sql(s"DROP TABLE sparkgap.published.web_$word")
    spark.sql(s"DROP TABLE sparkgap.published.edges_$word")
  }

  @Test def rowsAndTensorsHaveTheirOwn(): Unit = {
    val rows = spark.createDataFrame(Seq((0.0, 0.1), (0.1, 0.0), (9.0, 9.1), (9.1, 9.0))).toDF("x", "y")
    assertEquals(Set(0.05, 9.05),
      rows.sparkgap.ml.kmeans(features = Seq("x", "y"), k = 2, seed = 3).collect().map(_.getAs[Double]("value")).toSet)
    val entries = spark.range(60).selectExpr("id % 3 a", "id % 4 b", "id % 5 c", "double(id % 7) value")
    val factors = entries.sparkgap.tensor.cpd(modes = Seq("a", "b", "c"), rank = 2, max_iter = 3)
    assertTrue(factors.count() >= 12)
  }

  @Test def programsTakeTables(): Unit = {
    val done = spark.sparkgap.program("wc").args("-l", "{inputs.t}").input("t", spark.range(5).toDF("i"), "csv").run()
    assertEquals("5", done.printed.trim.split(" ").head)
    val copied =
      new MpiProgram(spark, "cp").args("{inputs.t}", "{outputs.u}").input("t", spark.range(5).toDF("i"), "csv")
        .output("u", "i bigint", "csv").result("of_methods").run()
    assertEquals(10L, copied.table("u").agg("i" -> "sum").head().getLong(0))
    assertEquals("sparkgap.store.of_methods_u", copied.call.getAs[Map[String, String]]("tables")("u"))
  }

  @Test def javaHasThemToo(): Unit = JavaCalls.all(spark, edges, word)

  @Test def theDocumentationsExamplesRun(): Unit = {
    val rows = spark.createDataFrame(Seq((0.0, 0.1), (0.1, 0.0), (9.0, 9.1), (9.1, 9.0))).toDF("x", "y")
    val entries = spark.range(60).selectExpr("id % 3 a", "id % 4 b", "id % 5 c", "double(id % 7) value")
    val ranks = edges.sparkgap.pagerank(damping = 0.85, max_iterations = 10)
    val hops = edges.sparkgap.bfs(source = 1)
    val graph = edges.sparkgap.build(result = "my_web")
    val parts = graph.components(threads = 1)
    val centers = rows.sparkgap.ml.kmeans(features = Seq("x", "y"), k = 2)
    val factors = entries.sparkgap.tensor.cpd(modes = Seq("a", "b", "c"), rank = 2, max_iter = 3)
    val made = spark.sparkgap.rmat(scale = 6)
    val said = spark.sparkgap.program("wc").args("-l", "{inputs.t}").input("t", entries, "csv").run().printed
    val edition = graph.publish("my_web")
    graph.drop()
    assertEquals(Seq(6L, 6L, 6L, 4L, 16L << 6), Seq(ranks, hops, parts, centers, made).map(_.count()))
    assertTrue(factors.count() >= 12 && said.trim.startsWith("60") && edition.rows == 6)
    spark.sql("DROP TABLE sparkgap.published.my_web")
    // They stand here and in JavaCalls letter by letter, so the compiler has read them.
    val page = Files.readString(Paths.get("..", "docs", "scala.md"))
    for ((language, file) <- Seq("scala" -> "MethodsTest.scala", "java" -> "JavaCalls.java")) {
      val sources = Paths.get("src", "test", "scala", "org", "sparkgap", "spark", "methods", file)
      val read = Files.readString(sources).replaceAll("\\s+", "")
      val block = page.split(s"```$language\n")(1).split("```").head.linesIterator.filterNot(_.startsWith("import"))
      block.foreach(line => assertTrue(read.contains(line.replaceAll("\\s+", "")), s"$line is not in $file"))
    }
  }
}
