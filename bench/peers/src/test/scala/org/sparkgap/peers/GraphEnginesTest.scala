// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.peers

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Random

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.junit.jupiter.api.{AfterAll, AfterEach, BeforeAll, Test, TestInstance}
import org.junit.jupiter.api.Assertions.{assertEquals, assertTrue}
import org.junit.jupiter.api.TestInstance.Lifecycle
import org.junit.jupiter.api.io.TempDir
import org.sparkgap.spark.LocalSpark
import org.sparkgap.spark.kernel.SparkEngine
import org.sparkgap.spark.LocalSpark.refused

/** The engines of `engine => 'spark'`, without kernels beside them: against reference outputs and plain oracles. */
@TestInstance(Lifecycle.PER_CLASS)
class GraphEnginesTest {
  private val Pagerank = Seq[(String, Any)]("variant" -> "graphx", "damping" -> 0.85, "max_iterations" -> 2L,
    "source_ids" -> null, "tolerance" -> null)
  private var spark: SparkSession = _

  @BeforeAll def start(@TempDir scratch: Path): Unit = spark = LocalSpark.start(scratch.resolve("store"))

  @AfterAll def stop(): Unit = if (spark != null) spark.stop()

  @AfterEach def nothingStaysCached(): Unit =
    assertEquals(Set.empty, spark.sparkContext.getPersistentRDDs.values.map(_.toString).toSet)

  private def run(
      engine: SparkEngine, inputs: Map[String, DataFrame], parameters: (String, Any)*): (Seq[String], Map[Any, Any]) = {
    val outcome = engine.run(spark, inputs,
      Map[String, Any]("src" -> "src", "dst" -> "dst", "weight" -> null, "directed" -> true) ++ parameters)
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

  private def assertClose(expected: Map[_, Double], found: Map[Any, Any], relative: Double, what: String): Unit = {
    assertEquals(expected.keySet, found.keySet, what)
    expected.foreach { case (id, value) =>
      val other = found(id).asInstanceOf[Double]
      assertTrue(value == other || math.abs(value - other) <= relative * math.abs(value),
        s"$what: $id: expected $value, found $other")
    }
  }

  private def words(file: String): Seq[Array[String]] =
    Files.readAllLines(LocalSpark.data(s"graphalytics/$file")).asScala.toSeq.map(_.trim.split(" +"))

  @Test def graphalyticsExamples(): Unit =
    for ((graph, directed, source) <- Seq(("example-directed", true, "1"), ("example-undirected", false, "2"))) {
      def reference[T](output: String, value: String => T): Map[Long, T] =
        words(s"$graph-$output").map(w => w(0).toLong -> value(w(1))).toMap
      val edges = spark.createDataFrame(words(s"$graph.e").map(w => (w(0).toLong, w(1).toLong, w(2).toDouble))).toDF(
        "src", "dst", "weight")
      val vertices = spark.createDataFrame(words(s"$graph.v").map(w => Tuple1(w(0).toLong))).toDF("id")
      val inputs = Map("edges" -> edges, "vertices" -> vertices)
      val direction = "directed" -> directed
      val ldbc = "variant" -> "ldbc"
      assertEquals(reference("BFS", _.toLong), run(GraphxBfs, inputs, direction, ldbc, "source" -> source)._2, graph)
      assertEquals(reference("CDLP", _.toLong),
        run(GraphxLabelprop, inputs, direction, ldbc, "max_iterations" -> 2L)._2, graph)
      // The benchmark takes any label for a component; its reference has the smallest id, as we do.
      assertEquals(reference("WCC", _.toLong), run(GraphxComponents, inputs, direction)._2, graph)
      assertClose(reference("LCC", _.toDouble), run(GraphxLcc, inputs, direction)._2, 1e-14, graph)
      assertClose(
        reference("SSSP", w => if (w == "infinity") Double.PositiveInfinity else w.toDouble),
        run(GraphxSssp, inputs, direction, "source" -> source, "weight" -> "weight")._2,
        1e-14,
        graph
      )
    }

  /** Loose parts with repeated rows, self-loops and vertices without edges, as tables and as their meaning. */
  private final class Case[V](inputs: Map[String, DataFrame], val oracle: GraphOracle[V], val source: V,
      val directed: Boolean) {
    def run(engine: SparkEngine, parameters: (String, Any)*): (Seq[String], Map[Any, Any]) =
      GraphEnginesTest.this.run(engine, inputs,
        Seq("src" -> "from here", "dst" -> "to", "directed" -> directed) ++ parameters: _*)
  }

  private def cases[V: Ordering](kind: String, name: Int => V): Seq[Case[V]] =
    for ((seed, directed) <- Seq((1, true), (2, false))) yield {
      val random = new Random(seed)
      def part(first: Int, n: Int, edges: Int) =
        Seq.fill(edges)((name(first + random.nextInt(n)), name(first + random.nextInt(n))))
      val big = part(0, 10, 24)
      val rows = big ++ big.take(3) ++ part(10, 6, 5) ++ Seq((name(17), name(17)), (name(16), name(17)))
      val weights = rows.map(_ => random.nextInt(5) / 4.0)
      val listed = Seq(name(18), name(19), name(18), rows.head._1)
      val edges = spark.createDataFrame(rows.zip(weights).map { case ((a, b), w) => (a.toString, b.toString, w) }).toDF(
        "a", "b", "w")
        .selectExpr(s"CAST(a AS $kind) AS `from here`", s"CAST(b AS $kind) AS to", "CAST(w AS FLOAT) AS w").repartition(
          3)
      val vertices =
        spark.createDataFrame(listed.map(v => Tuple1(v.toString))).toDF("id").selectExpr(s"CAST(id AS $kind) AS id")
      new Case(Map("edges" -> edges, "vertices" -> vertices), new GraphOracle(rows, weights, listed, directed),
        rows.head._1, directed)
    }

  private def integers: Seq[Case[Long]] = cases("bigint",
    i => Seq(Long.MaxValue, -7L, Long.MinValue).lift(i / 7).filter(_ => i % 7 == 0).getOrElse(1000003L * (i - 8)))

  /**
   * Vertices 16 and 17 are a component: in the order of UTF-8 the fullwidth tilde comes before the face, in Java's the
   * other way round.
   */
  private def strings: Seq[Case[String]] = {
    implicit val order: Ordering[String] = GraphOracle.Utf8
    val odd = Map(0 -> "", 1 -> "\u00E9", 2 -> "Z", 16 -> "\uD83D\uDE00", 17 -> "\uFF5E")
    cases("string", i => odd.getOrElse(i, s"v$i"))
  }

  /** The other two are in conformance/test_engines.py. */
  private def onAll(check: Case[_] => Unit): Unit =
    (integers.filter(_.directed) ++ strings.filterNot(_.directed)).foreach(check)

  @Test def levels(): Unit = onAll { graph =>
    val source = "source" -> graph.source.toString
    def expected[V](graph: Case[V]): Map[V, Option[Long]] = graph.oracle.bfs(graph.source)
    val (columns, found) = graph.run(GraphxBfs, source, "variant" -> "graphx")
    assertEquals(expected(graph), found.map { case (id, level) => id -> Option(level) })
    assertTrue(columns(0).matches("id (LongType|StringType)") && columns(1) == "level LongType", columns.toString)
    if (graph.directed) {
      assertEquals(expected(graph).map { case (id, level) => id -> level.getOrElse(Long.MaxValue) },
        graph.run(GraphxBfs, source, "variant" -> "ldbc")._2)
    }
  }

  @Test def distances(): Unit = onAll { graph =>
    def expected[V](graph: Case[V]): Map[V, Double] = graph.oracle.sssp(graph.source)
    def hops[V](graph: Case[V]): Map[V, Double] = graph.oracle.bfs(graph.source).map { case (id, level) =>
      id -> level.fold(Double.PositiveInfinity)(_.toDouble)
    }
    assertEquals(expected(graph), graph.run(GraphxSssp, "source" -> graph.source.toString, "weight" -> "w")._2,
      "quarters add up without rounding")
    if (graph.directed) assertEquals(hops(graph), graph.run(GraphxSssp, "source" -> graph.source.toString)._2)
  }

  @Test def components(): Unit = onAll { graph =>
    val (columns, found) = graph.run(GraphxComponents)
    assertEquals(graph.oracle.components, found)
    assertEquals(columns(0).replace("id ", "component "), columns(1))
  }

  /**
   * On a small graph, as GraphX takes a few searches for each component; conformance/test_engines.py has larger ones.
   */
  @Test def strongComponents(): Unit = {
    val edges = spark.createDataFrame(Seq(("b", "c"), ("c", "b"), ("c", "d"), ("a", "b"))).toDF("src", "dst")
    val (columns, found) = run(GraphxScc, Map("edges" -> edges))
    assertEquals((Seq("id StringType", "component StringType"),
        Map[Any, Any]("a" -> "a", "b" -> "b", "c" -> "b", "d" -> "d")), (columns, found))
    nothingStaysCached()
  }

  @Test def labels(): Unit = onAll { graph =>
    def any[V](graph: Case[V]): Map[V, Set[V]] = graph.oracle.mostFrequent(graph.oracle.own)
    assertEquals(graph.oracle.labelprop(3), graph.run(GraphxLabelprop, "variant" -> "ldbc", "max_iterations" -> 3L)._2)
    val (columns, found) = graph.run(GraphxLabelprop, "variant" -> "graphx", "max_iterations" -> 1L)
    assertEquals(columns(0).replace("id ", "label "), columns(1))
    assertEquals(graph.oracle.own.keySet, found.keySet)
    any(graph).foreach { case (id, labels) =>
      assertTrue(labels.asInstanceOf[Set[Any]](found(id)), s"$id: one of $labels, found ${found(id)}")
    }
  }

  @Test def noIterationLeavesTheOwnLabels(): Unit = for (variant <- Seq("graphx", "ldbc")) {
    val graph = strings.head
    assertEquals(graph.oracle.own, graph.run(GraphxLabelprop, "variant" -> variant, "max_iterations" -> 0L)._2)
  }

  @Test def coefficients(): Unit =
    onAll(graph => assertClose(graph.oracle.lcc, graph.run(GraphxLcc)._2, 1e-14, s"directed ${graph.directed}"))

  @Test def cores(): Unit = onAll { graph =>
    val (columns, found) = graph.run(GraphxKcore)
    assertEquals(graph.oracle.kcore, found)
    assertEquals("core LongType", columns(1))
  }

  @Test def triangles(): Unit = onAll { graph =>
    val (columns, found) = graph.run(GraphxTriangles)
    assertEquals(graph.oracle.triangles, found)
    assertEquals("count LongType", columns(1))
  }

  @Test def ranksLeaveNothingCached(): Unit =
    for (tolerance <- Seq(null, 0.1); sources <- Seq(null, java.util.List.of("1"))) {
      val edges = spark.createDataFrame(Seq((1, 2), (2, 1), (2, 3))).toDF("src", "dst")
      val (columns, ranks) = run(GraphxPagerank, Map("edges" -> edges),
        Pagerank ++ Seq("source_ids" -> sources, "tolerance" -> tolerance): _*)
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

  @Test def whatTheGraphDoesNotHaveIsRefused(): Unit = {
    val edges = spark.createDataFrame(Seq((1L, 2L, -1.0), (2L, 3L, Double.NaN), (2L, 3L, Double.PositiveInfinity),
        (2L, 3L, 1.0))).toDF("src", "dst", "w")
    val names = edges.selectExpr("CAST(src AS STRING) AS src", "CAST(dst AS STRING) AS dst")
    for (engine <- Seq(GraphxBfs, GraphxSssp); (inputs, source) <- Seq((edges, "4"), (edges, "x"), (names, "4"))) {
      refused(3,
        s"source: expected an id of the graph, found '$source', which is none. Do pass ids that occur in edges or " +
          "vertices.")(
        run(engine, Map("edges" -> inputs), "source" -> source, "variant" -> "graphx"))
      nothingStaysCached()
    }
    refused(3, "edges.w: expected finite numbers >= 0, found 3 that are negative, NaN or infinite")(run(GraphxSssp,
        Map("edges" -> edges), "source" -> "1", "weight" -> "w"))
    refused(3, "edges: expected at least one row, found none")(run(GraphxBfs, Map("edges" -> edges.filter("src > 5")),
        "source" -> "1"))
    refused(3, "vertices.id: expected no nulls, found 1")(run(GraphxBfs,
        Map("edges" -> edges, "vertices" -> spark.sql("SELECT CAST(NULL AS BIGINT) AS id"))))
    refused(2, "source: expected an id of the graph, found nothing. Do pass source => 'id'.")(run(GraphxBfs,
        Map("edges" -> edges), "source" -> null))
  }
}
