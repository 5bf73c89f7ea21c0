// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark

import java.io.IOException
import java.nio.file.{Files, FileVisitResult, NoSuchFileException, Path, Paths, SimpleFileVisitor}
import java.nio.file.attribute.BasicFileAttributes

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.execution.columnar.InMemoryRelation
import org.junit.jupiter.api.{Assertions, Assumptions}
import org.sparkgap.spark.application.{Conf, SparkGapError}
import org.sparkgap.store.SparkGapException

/** A real session with the plug-in and a store of its own. */
object LocalSpark {
  def start(store: Path, settings: (String, String)*): SparkSession = {
    // The build's own -Dspark.jars reaches this JVM too, where Spark would take the folder for a jar to ship.
    System.clearProperty("spark.jars")
    // Spark makes one cache serializer per JVM; the next session of the tests may want another.
    InMemoryRelation.getClass.getMethod("clearSerializer").invoke(InMemoryRelation)
    val builder = SparkSession.builder().master("local[2]").appName("test")
      .config("spark.plugins", classOf[SparkGapPlugin].getName)
      .config("spark.ui.enabled", "false").config("spark.driver.host", "localhost")
      .config("spark.sql.shuffle.partitions", "2").config("spark.sql.warehouse.dir",
        store.resolveSibling("warehouse").toString)
      .config(Conf.StoreDir.key, store.toString)
      .config(Conf.KernelDir.key, System.getProperty("sparkgap.native")).config(Conf.Mpiexec.key,
        System.getProperty("sparkgap.mpiexec"))
    settings.foldLeft(builder) { case (b, (key, value)) => b.config(key, value) }.getOrCreate()
  }

  def requireKernels(): Unit = required(Paths.get(System.getProperty("sparkgap.native"), "sparkgap-pagerank"))

  /** A file of the test data: in the folder of $SPARKGAP_DATA, by default data/. */
  def data(name: String): Path = {
    val folder = Option(System.getenv("SPARKGAP_DATA")).filter(_.nonEmpty).map(Paths.get(_)).getOrElse(Paths.get("..",
        "data").toAbsolutePath.normalize)
    val file = folder.resolve(name)
    requireThat(Files.isReadable(file), s"$file; set SPARKGAP_DATA")
    file
  }

  def requireMpi(): Unit = required(Paths.get(System.getProperty("sparkgap.mpiexec")))

  /** Segment files below a store, each with its table's folder: "edges/part-00000-0.arrow". */
  def segments(store: Path): Seq[String] =
    filesUnder(store).filter(f => Files.isRegularFile(f) && f.toString.contains("/segments/")).map(f =>
      s"${f.getParent.getFileName}/${f.getFileName}")

  /** All files and links below a folder that others may be emptying. */
  def filesUnder(top: Path): Seq[Path] = {
    val found = Seq.newBuilder[Path]
    Files.walkFileTree(
      top,
      new SimpleFileVisitor[Path] {
        override def visitFile(file: Path, its: BasicFileAttributes): FileVisitResult = {
          found += file; FileVisitResult.CONTINUE
        }
        override def visitFileFailed(file: Path, why: IOException): FileVisitResult = passed(why)
        override def postVisitDirectory(folder: Path, why: IOException): FileVisitResult = passed(why)

        private def passed(why: IOException): FileVisitResult = why match {
          case null | _: NoSuchFileException => FileVisitResult.CONTINUE
          case other => throw other
        }
      }
    )
    found.result()
  }

  /** Runs the body, which must fail with that code and text; the error. */
  def refused(code: Int, text: String)(body: => Any): SparkGapException = {
    val error = Assertions.assertThrows(classOf[Throwable], () => { body; () })
    val ours =
      SparkGapError.find(error).getOrElse(Assertions.fail[SparkGapException](s"not an error of ours: $error", error))
    Assertions.assertEquals(code, ours.code, ours.getMessage)
    Assertions.assertTrue(ours.getMessage.contains(text), ours.getMessage)
    Assertions.assertTrue(ours.getMessage.startsWith(s"""[SPARKGAP {"code":$code"""), ours.getMessage)
    ours
  }

  def rows(data: DataFrame): Seq[String] = data.collect().map(_.toString).toSeq.sorted

  private def required(program: Path): Unit = requireThat(Files.isExecutable(program), program.toString)

  def requireThat(there: Boolean, what: String): Unit =
    if (!there) {
      if (System.getenv("CI") == "true")
        throw new AssertionError(s"this test needs $what, and CI=true forbids leaving it out")
      Assumptions.abort[Unit](s"not run: this test needs $what")
    }
}
