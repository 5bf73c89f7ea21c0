// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.table

import java.util.OptionalLong

import scala.collection.mutable.ArrayBuffer
import scala.jdk.CollectionConverters._

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.connector.read.{
  Batch,
  InputPartition,
  PartitionReaderFactory,
  Scan,
  Statistics,
  SupportsReportStatistics
}
import org.apache.spark.sql.connector.read.Scan.ColumnarSupportMode
import org.apache.spark.sql.types.StructType
import org.sparkgap.store.Manifest

/**
 * Rows `from` until `to` of a segment of `rows`, and what its reader must know of the whole. Plain values: Kryo cannot
 * carry a record such as SegmentInfo.
 */
private[spark] final case class RowRange(host: String, path: String, rows: Long, bytes: Long, crc32c: String,
    from: Long, to: Long)

private[spark] final case class StorePartition(host: String, ranges: Seq[RowRange]) extends InputPartition {
  override def preferredLocations(): Array[String] = Array(host)
}

/**
 * The asked columns of a table's rows, in the table's order, cut into equal ranges that a partition reads from its
 * host's files.
 */
private[spark] final case class StoreScan(manifest: Manifest, asked: StructType) extends Scan with Batch
    with SupportsReportStatistics {
  override def readSchema(): StructType = asked

  /** In plans and in Spark's UI. */
  override def description(): String =
    s"${StoreTable.qualified(manifest)} ${asked.fieldNames.mkString("[", ", ", "]")}, mapped from the store: " +
      s"${manifest.segments.size} segments, ${manifest.rows} rows, ${manifest.bytes} bytes"

  override def columnarSupportMode(): ColumnarSupportMode = ColumnarSupportMode.SUPPORTED

  override def toBatch: Batch = this

  override def planInputPartitions(): Array[InputPartition] =
    StoreScan.partitions(ResultLineage().whole(manifest), SparkSession.active.sparkContext.defaultParallelism).toArray

  override def createReaderFactory(): PartitionReaderFactory = {
    val positions = manifest.columns.asScala.map(_.name).zipWithIndex.toMap
    new StoreReaderFactory(manifest, asked.fields.map(field => positions(field.name)), asked)
  }

  override def estimateStatistics(): Statistics = new Statistics {
    override def sizeInBytes(): OptionalLong = {
      val all = math.max(1, manifest.columns.size)
      OptionalLong.of(manifest.bytes * math.max(1, asked.length) / all)
    }

    override def numRows(): OptionalLong = OptionalLong.of(manifest.rows)
  }
}

private[spark] object StoreScan {

  /** A task should not be so short that starting it costs more than reading. */
  private val MinRows = 65536L
  private val MaxBytes = 128L << 20

  def partitions(manifest: Manifest, cores: Int): Seq[StorePartition] = {
    val rows = manifest.rows
    val count = math.min(math.max(cores.toLong, (manifest.bytes + MaxBytes - 1) / MaxBytes),
      math.max(1L, (rows + MinRows - 1) / MinRows))
    val share = math.max(1L, (rows + count - 1) / count)
    val done = ArrayBuffer.empty[StorePartition]
    val ranges = ArrayBuffer.empty[RowRange]
    var host = ""
    var room = share
    def cut(): Unit = {
      if (ranges.nonEmpty) done += StorePartition(host, ranges.toSeq)
      ranges.clear()
      room = share
    }
    for (segment <- manifest.segments.asScala) {
      if (segment.host != host) cut()
      host = segment.host
      var from = 0L
      while (from < segment.rows) {
        val to = math.min(segment.rows, from + room)
        ranges += RowRange(host, segment.path, segment.rows, segment.bytes, segment.crc32c, from, to)
        room -= to - from
        from = to
        if (room == 0) cut()
      }
    }
    cut()
    done.toSeq
  }
}
