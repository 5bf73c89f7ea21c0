// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.ml

import java.util.{LinkedHashMap, Map => JMap}

import scala.collection.immutable.ListMap

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String
import org.sparkgap.spark.application.{DriverPart, SparkCores}
import org.sparkgap.spark.kernel.CallReport
import org.sparkgap.spark.memory.JobMemory

/**
 * What fits have cost, until their clients ask. A client that will tags its thread's jobs with `sparkgap-fit-` and 32
 * hexadecimal digits for the time of the fit, which works alike in classic sessions and through Spark Connect, and for
 * fits of several threads.
 */
private[sparkgap] final class FitReports {
  private val kept = new LinkedHashMap[String, InternalRow] {
    override def removeEldestEntry(eldest: JMap.Entry[String, InternalRow]): Boolean = size > FitReports.Most
  }

  /**
   * Keeps the report where the session of the fit has a word for it.
   *
   * @param why
   *   what left the fit to Spark's own, which nobody had asked for
   */
  def put(session: SparkSession, report: => CallReport, why: Option[String]): Unit =
    FitReports.words(session).foreach { word =>
      val row = InternalRow.fromSeq(
        report.row.toSeq(CallReport.Schema) :+ why.map(UTF8String.fromString).orNull)
      synchronized(kept.put(word, row))
    }

  /** Gives the report, once, as a row of FitReports.Schema. */
  def take(word: String): Option[InternalRow] = synchronized(Option(kept.remove(word)))
}

private[sparkgap] object FitReports extends DriverPart(new FitReports) {
  val Schema: StructType = CallReport.Schema.add("why", StringType)

  /** Clients that die do not ask. */
  private val Most = 1000
  private val Word = "sparkgap-fit-([0-9a-f]{32})".r

  // Of the context, where Spark Connect puts its client's tags too, with its own words round them. Not of the session:
  // one that was asked for its tags cannot be serialized any more, and summaries of models send it to executors.
  private def words(session: SparkSession): Set[String] =
    session.sparkContext.getJobTags().flatMap(Word.findFirstMatchIn(_)).map(_.group(1))

  /** What is known of a fit of Spark's own, which counts no rows. */
  def sparks(session: SparkSession, kernel: String, iterations: Option[Long], seconds: Double): CallReport =
    CallReport(
      "",
      kernel,
      "spark",
      None,
      0,
      iterations,
      None,
      None,
      0,
      SparkCores.onThisHost(session.sparkContext),
      seconds,
      ListMap("compute_s" -> seconds),
      0,
      0,
      0,
      JobMemory.Source.Nobody
    )
}
