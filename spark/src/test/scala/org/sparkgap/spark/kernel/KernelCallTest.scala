// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.kernel

import java.nio.file.{Files, Path}
import java.util.concurrent.{CompletableFuture, TimeUnit}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.spark.sql.{AnalysisException, DataFrame, Row, SparkSession, classic}
import org.apache.spark.sql.functions.{col, sum}
import org.junit.jupiter.api.{AfterAll, BeforeAll, Test, TestInstance}
import org.junit.jupiter.api.Assertions.{assertEquals, assertFalse, assertThrows, assertTrue}
import org.junit.jupiter.api.TestInstance.Lifecycle
import org.junit.jupiter.api.io.TempDir
import org.sparkgap.spark.LocalSpark
import org.sparkgap.spark.application.{Conf, SparkGapError}
import org.sparkgap.spark.LocalSpark.{refused, segments}

/** CALL with the real kernels: results, refusals, and nothing left behind. */
@TestInstance(Lifecycle.PER_CLASS)
class KernelCallTest {
  private var store: Path = _
  private var spark: SparkSession = _

  @BeforeAll def start(@TempDir scratch: Path): Unit = {
    LocalSpark.requireKernels()
    store = scratch.resolve("store")
    spark = LocalSpark.start(store)
    val edges = Seq((1L, 2L), (2L, 3L), (3L, 1L), (4L, 1L), (4L, 4L), (4L, 1L), (5L, 9L))
    spark.createDataFrame(edges).toDF("src", "dst").createOrReplaceTempView("edges")
    spark.createDataFrame(edges.map { case (a, b) => (s"v$a", s"v$b") }).toDF("src", "dst").createOrReplaceTempView(
      "names")
    spark.createDataFrame(Seq(Tuple1(9L), Tuple1(77L))).toDF("id").createOrReplaceTempView("vertices")
  }

  @AfterAll def stop(): Unit = if (spark != null) {
    spark.stop()
    assertEquals(Seq(".lock"), Using.resource(Files.list(store))(_.iterator.asScala.map(_.getFileName.toString).toList))
  }

  private def call(arguments: String): Row = spark.sql(s"CALL sparkgap.graph.pagerank($arguments)").head()

  private def ranks(arguments: String): Map[String, Double] =
    result(call(arguments)).collect().map(r => r.get(0).toString -> r.getDouble(1)).toMap

  private def result(row: Row): DataFrame = spark.table(row.getAs[String]("table"))

  private def assertClose(expected: Map[String, Double], found: Map[String, Double], what: String): Unit = {
    assertEquals(expected.keySet, found.keySet, what)
    expected.foreach { case (id, rank) =>
      assertEquals(rank, found(id), 1e-9 * math.max(1, math.abs(rank)), s"$what: $id")
    }
  }

  @Test def theRowSaysWhatWasDone(): Unit = {
    val row = call("edges => 'edges'")
    assertEquals(CallReport.Schema.fieldNames.toSeq, row.schema.fieldNames.toSeq)
    assertEquals(
      ("pagerank", "native", 7L, 6L, 20, true, 1, 2),
      (row.getAs[String]("kernel"), row.getAs[String]("engine"), row.getAs[Long]("rows_in"),
        row.getAs[Long]("rows_out"), row.getAs[Int]("iterations"), row.isNullAt(row.fieldIndex("converged")),
        row.getAs[Int]("ranks"), row.getAs[Int]("threads"))
    )
    assertEquals(Set("export_s", "memory_s", "launch_s", "build_s", "compute_s", "write_s"),
      row.getAs[Map[String, Double]]("phases").keySet)
    assertTrue(
      row.getAs[Long]("bytes_copied") > 0 && row.getAs[Long]("peak_rss_bytes") > 0 && row.getAs[Double]("total_s") > 0)
    assertEquals(Seq("id", "pagerank"), result(row).columns.toSeq)
    assertFalse(segments(store).exists(_.matches("[a-z]+_\\d+_(edges|vertices)\\..*")), "exported temporaries are gone")
  }

  @Test def argumentsByPlaceAndByName(): Unit = {
    val expected = ranks("edges => 'edges', vertices => 'vertices', damping => 0.5")
    assertClose(expected, ranks("'edges', 'vertices', damping => 0.5"), "the first by their places")
    assertClose(expected, ranks("damping => 0.5, VERTICES => 'vertices', tolerance => NULL, edges => 'edges'"),
      "in any order and case, null is not given")
    for (twice <- Seq("edges => 'edges', edges => 'edges'", "'edges', edges => 'edges'")) {
      assertTrue(assertThrows(classOf[AnalysisException], () => call(twice): Unit).getMessage.contains("`edges`"),
        twice)
    }
  }

  @Test def severalRanksAgree(): Unit = {
    LocalSpark.requireMpi()
    val one = ranks("edges => 'edges', vertices => 'vertices'")
    for (n <- Seq(2, 4)) assertClose(one, ranks(s"edges => 'edges', vertices => 'vertices', ranks => $n"), s"$n ranks")
  }

  @Test def aCallIsAQueryThatSaysHowFarItIsAndMayBeInterrupted(): Unit = {
    LocalSpark.requireMpi()
    val queries = spark.asInstanceOf[classic.SparkSession].sharedState.statusStore
    def shown: Seq[String] = queries.executionsList().filter(_.completionTime.isEmpty).map(_.description)
    val ended = new CompletableFuture[Throwable]
    spark.addTag("mine")
    try {
      val thread = new Thread(() =>
        try {
          call("edges => 'edges', ranks => 2, threads => 1, max_iterations => 2000000000, timeout_s => 60");
          ended.complete(null)
        } catch { case e: Throwable => ended.complete(e) })
      thread.start()
      val end = System.nanoTime() + 30000000000L
      val line = "pagerank: compute, iteration \\d+ of 2000000000, 2 ranks on the driver's host"
      while (!shown.exists(_.matches(line)) && System.nanoTime() < end)
        Thread.sleep(50)
      assertTrue(System.nanoTime() < end, shown.toString)
      assertEquals(1, spark.interruptTag("mine").length)
      assertTrue(SparkGapError.find(ended.get(10, TimeUnit.SECONDS)).exists(
          _.text.contains("found that it was cancelled")), ended.get().toString)
      assertTrue(ranks("edges => 'edges', ranks => 2").nonEmpty, "and the next call is none of that")
    } finally spark.removeTag("mine")
  }

  @Test def aStoredTableIsNotCopied(): Unit = {
    spark.table("edges").write.format("sparkgap").mode("overwrite").save("kept")
    val row = call("edges => 'sparkgap.store.kept'")
    assertEquals(0L, row.getAs[Long]("bytes_copied"))
    assertEquals(7, spark.table("sparkgap.store.kept").count(), "and it is still there")
    assertClose(ranks("edges => 'edges'"), result(row).collect().map(r => r.get(0).toString -> r.getDouble(1)).toMap,
      "stored")
  }

  @Test def bigintsAreCopiedAsIntsAsLongAsTheyFit(): Unit = {
    val rows = 300000
    val edges = spark.range(0, rows, 1, 2).selectExpr("id AS src", "id % 1000 AS dst")
    edges.createOrReplaceTempView("narrow")
    val copied = call("edges => 'narrow'").getAs[Long]("bytes_copied")
    assertTrue(copied >= 8L * rows && copied < 9L * rows, s"$copied bytes for $rows edges")
    // One id beyond in the second batch of the first partition: two segments there, of other types.
    edges.selectExpr("if(src = 100000, 1L << 40, src) AS src", "dst").createOrReplaceTempView("mixed")
    val more = call("edges => 'mixed'").getAs[Long]("bytes_copied")
    assertTrue(more > copied && more < 12L * rows, s"$more bytes")
    def degrees(arguments: String) =
      result(spark.sql(s"CALL sparkgap.graph.degree('mixed', $arguments)").head()).orderBy("id").collect().toSeq
    val expected = edges.selectExpr("if(src = 100000, 1L << 40, src) AS id", "0L AS i", "1L AS o").unionAll(
      edges.selectExpr("dst AS id", "1L AS i", "0L AS o"))
      .groupBy("id").agg(sum("i"), sum("o"), sum(col("i") + col("o"))).orderBy("id").collect().toSeq
    for (ranks <- Seq(1, 2)) assertEquals(expected, degrees(s"ranks => $ranks"), s"$ranks ranks")
  }

  @Test def argumentsByPositionNameAndType(): Unit = {
    val expected = ranks("edges => 'edges'")
    assertClose(expected, ranks("'edges'"), "by position")
    assertClose(expected, ranks("'edges', NULL, 'src', 'dst'"), "by position with nulls")
    assertClose(ranks("edges => 'edges', source_ids => array(1, 4)"),
      ranks("edges => 'edges', source_ids => array('1', '4')"), "ids as text")
    spark.table("edges").withColumnRenamed("src", "From here").createOrReplaceTempView("renamed")
    assertClose(expected, ranks("edges => 'renamed', src => 'from HERE'"), "other column names")
    assertEquals("sparkgap.store.my_result", call("edges => 'edges', result => 'my_result'").getAs[String]("table"))
    refused(2, "result: expected a name that is free, found a table 'my_result'")(
      call("edges => 'edges', result => 'my_result'"))
    val row = call("edges => 'edges', tolerance => 1e-30, max_iterations => 3")
    assertEquals((3, false), (row.getAs[Int]("iterations"), row.getAs[Boolean]("converged")))
  }

  @Test def badInputIsRefusedBeforeWork(): Unit = {
    def view(name: String, sql: String): Unit = spark.sql(sql).createOrReplaceTempView(name)
    view("doubles", "SELECT 1.5D src, 2L dst")
    view("mixed", "SELECT 'a' src, 2L dst")
    view("nulls", "SELECT * FROM VALUES (1L, 2L), (CAST(NULL AS BIGINT), 2L) AS t(src, dst)")
    view("empty", "SELECT * FROM edges WHERE src > 100")
    view("weights", "SELECT 1L src, 2L dst, double('NaN') w")
    refused(2, "edges: expected a table or view 'nope', found none of that name")(call("edges => 'nope'"))
    refused(2, "edges: expected the name of a table or view, found nothing")(call(""))
    refused(3, "edges.a: expected a column named 'a', found columns src, dst. Do pass src => 'name'.")(
      call("edges => 'edges', src => 'a'"))
    refused(3, "vertices.id: expected a column named 'id'")(call("edges => 'edges', vertices => 'edges'"))
    refused(3, "edges.src: expected an integer or string column, found double")(call("edges => 'doubles'"))
    refused(3, "edges.dst: expected ids of one kind: edges.src is string, found bigint")(call("edges => 'mixed'"))
    refused(3, "edges: expected at least one row, found none")(call("edges => 'empty'"))
    refused(3, "edges.src: expected no nulls, found 1")(call("edges => 'nulls'"))
    refused(3, "edges.w")(call("edges => 'weights', weight => 'w'"))
    refused(3, "source_ids: expected an id that occurs in the graph")(
      call("edges => 'edges', source_ids => array(12345)"))
    refused(2, "damping: expected a number in [0, 1], found -0.5")(call("edges => 'edges', damping => -0.5"))
    refused(2, "damping: expected a number, found a value of type string")(call("edges => 'edges', damping => 'x'"))
    refused(2, "max_iterations: expected a whole number, found a value of type decimal(2,1)")(
      call("edges => 'edges', max_iterations => 2.5"))
    refused(2, "tolerance: expected a number above 0, found 0")(call("edges => 'edges', tolerance => 0"))
    refused(2, "variant: expected one of graphx, ldbc, found 'x'")(call("edges => 'edges', variant => 'x'"))
    refused(2, "source_ids: expected a list of at least one id")(call("edges => 'edges', source_ids => array()"))
    refused(2, "ranks: expected at most 7, the rows of edges, found 8")(call("edges => 'edges', ranks => 8"))
    refused(2, "ranks: expected a whole number of at least 1, found 0")(call("edges => 'edges', ranks => 0"))
    refused(2, "engine: expected one of native, spark, found 'gpu'")(call("edges => 'edges', engine => 'gpu'"))
    refused(2,
      "engine: expected native for rmat (no jar of peers is on the class path), found 'spark'. Do leave engine out.")(
      spark.sql("CALL sparkgap.graph.rmat(engine => 'spark')"))
    refused(2, "pagerank: expected arguments among edges, vertices, src")(call("edges => 'edges', foo => 1"))
    refused(2, "CALL sparkgap.graph.nosuch: expected one of")(spark.sql("CALL sparkgap.graph.nosuch()"))
    assertFalse(segments(store).exists(_.matches("[a-z]+_\\d+_(edges|vertices)\\..*")), "nothing exported is left")
    assertEquals(6L, call("edges => 'edges'").getAs[Long]("rows_out"), "the session goes on")
  }

  @Test def settingsOfTheSessionAreRead(): Unit = {
    spark.conf.set(Conf.Timeout.key, "soon")
    try refused(2, "spark.sparkgap.launch.timeout: expected a time such as 60s or 2h, found 'soon'")(
        call("edges => 'edges'"))
    finally spark.conf.unset(Conf.Timeout.key)
    spark.conf.set(Conf.Threads.key, "1")
    try assertEquals(1, call("edges => 'edges'").getAs[Int]("threads"))
    finally spark.conf.unset(Conf.Threads.key)
    spark.conf.set(Conf.Mpiexec.key, "/nowhere/mpiexec")
    try refused(
        2,
        s"spark.sparkgap.launch.mpiexec: expected '${System.getProperty("sparkgap.mpiexec")}', as where Spark was " +
          "started, found '/nowhere/mpiexec' in this session"
      )(call("edges => 'edges', ranks => 2"))
    finally spark.conf.set(Conf.Mpiexec.key, System.getProperty("sparkgap.mpiexec"))
    refused(5, "timeout_s of rmat: expected the job to end within 0.2 s")(
      spark.sql("CALL sparkgap.graph.rmat(scale => 23, timeout_s => 0.2)"))
    assertFalse(segments(store).exists(_.contains("rmat")))
  }

  @Test def theDoctorAndTheCatalogTell(): Unit = {
    val checks = spark.sql("CALL sparkgap.launch.doctor()").collect()
    assertEquals(Seq("java", "spark", "store", "kernels", "mpiexec", "programs", "cpus", "affinity", "memory"),
      checks.map(_.getString(0)).toSeq)
    assertTrue(checks.filterNot(_.getString(0) == "mpiexec").forall(_.getBoolean(1)), checks.mkString)
    assertEquals(0, spark.sql("CALL sparkgap.launch.jobs()").count())
    assertTrue(spark.sql("SHOW PROCEDURES IN sparkgap.graph").collect().length >= 3)
    assertTrue(spark.sql("SHOW NAMESPACES IN sparkgap").collect().map(_.getString(0)).toSet.subsetOf(Set("store",
          "published", "launch", "mpi", "graph", "ml", "tensor")))
  }
}
