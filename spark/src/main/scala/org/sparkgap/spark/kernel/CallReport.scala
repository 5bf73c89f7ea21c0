// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.kernel

import scala.collection.immutable.ListMap

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.{ArrayBasedMapData, GenericArrayData}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import org.sparkgap.spark.affinity.RankPlace
import org.sparkgap.spark.application.CallEnded
import org.sparkgap.spark.memory.JobMemory

/** The one row that a kernel's CALL returns; `rowsIn` is None where nobody has counted. */
private[spark] final case class CallReport(table: String, kernel: String, engine: String, rowsIn: Option[Long],
    rowsOut: Long,
    iterations: Option[Long], converged: Option[Boolean],
    residual: Option[Double], ranks: Int, threads: Int, totalSeconds: Double, phases: ListMap[String, Double],
    bytesCopied: Long, peakRssBytes: Long,
    memoryBytes: Long, memoryFrom: JobMemory.Source, figures: Map[String, Array[Double]] = Map.empty,
    rankPlaces: Seq[RankPlace] = Nil) {

  def row: InternalRow = InternalRow(
    string(table),
    string(kernel),
    string(engine),
    rowsIn.map(Long.box).orNull,
    rowsOut,
    iterations.map(_.toInt).orNull,
    converged.map(Boolean.box).orNull,
    residual.orNull,
    ranks,
    threads,
    totalSeconds,
    pairs(phases.toSeq),
    bytesCopied,
    peakRssBytes,
    memoryBytes,
    string(memoryFrom.word),
    pairs(figures.toSeq.map { case (name, values) => name -> new GenericArrayData(values) }),
    RankPlace.row(rankPlaces)
  )

  /** The same for Spark's event log. */
  def event: CallEnded = CallEnded(kernel, engine, ranks = ranks, threads = threads, rowsIn = rowsIn.getOrElse(0),
    rowsOut = rowsOut, bytesCopied = bytesCopied, peakRssBytes = peakRssBytes, phases = phases)

  // From pairs, not from keys and values: keys that are mapped become a set, whose order is another one.
  private def pairs(of: Seq[(String, Any)]): ArrayBasedMapData =
    ArrayBasedMapData(of.map(pair => string(pair._1)).toArray, of.map(_._2).toArray)

  private def string(text: String): UTF8String = UTF8String.fromString(text)
}

private[spark] object CallReport {
  val Schema: StructType = new StructType()
    .add("table", StringType, nullable = false).add("kernel", StringType, nullable = false).add("engine", StringType,
      nullable = false)
    .add("rows_in", LongType).add("rows_out", LongType, nullable = false)
    .add("iterations", IntegerType).add("converged", BooleanType).add("residual", DoubleType)
    .add("ranks", IntegerType, nullable = false).add("threads", IntegerType, nullable = false)
    .add("total_s", DoubleType, nullable = false).add("phases",
      MapType(StringType, DoubleType, valueContainsNull = false), nullable = false)
    .add("bytes_copied", LongType, nullable = false).add("peak_rss_bytes", LongType, nullable = false)
    .add("memory_bytes", LongType, nullable = false).add("memory_from", StringType)
    .add("figures", MapType(StringType, ArrayType(DoubleType, containsNull = false), valueContainsNull = false),
      nullable = false)
    .add("rank_cpus", RankPlace.Schema, nullable = false)
}
