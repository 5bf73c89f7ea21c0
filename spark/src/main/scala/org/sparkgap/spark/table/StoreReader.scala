// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.table

import java.nio.file.Paths

import scala.collection.mutable.ArrayBuffer
import scala.jdk.CollectionConverters._

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReader, PartitionReaderFactory}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnarBatch
import org.sparkgap.spark.application.LocalHost
import org.sparkgap.spark.columns.MappedVector
import org.sparkgap.spark.segments.RemoteSegments
import org.sparkgap.store.{Column, Manifest, Segment}

/**
 * @param table
 *   the table that is read: referred to here, so that a query that is still held keeps it
 * @param columns
 *   positions in the table of those that are read, whose types are the schema's
 * @param narrow
 *   whether its segments are copies for one job of ours, which may hold ints for bigints
 */
private[spark] final class StoreReaderFactory(@transient val table: Manifest, columns: Array[Int], schema: StructType,
    narrow: Boolean = false) extends PartitionReaderFactory {
  private val all = table.columns.asScala.toArray

  override def supportColumnarReads(partition: InputPartition): Boolean = true

  override def createColumnarReader(partition: InputPartition): PartitionReader[ColumnarBatch] =
    new StoreReader(partition.asInstanceOf[StorePartition].ranges.iterator, all, columns, schema, narrow)

  override def createReader(partition: InputPartition): PartitionReader[InternalRow] =
    throw new UnsupportedOperationException("rows: the scan is columnar")
}

/**
 * Maps the segments of the ranges one after the other and gives the part of each batch that a range holds. A segment
 * that is not what the table says is refused.
 *
 * What lies on another host is fetched first: Spark's scheduler has put the task here because that host was busy.
 */
private[spark] final class StoreReader(ranges: Iterator[RowRange], table: Array[Column], columns: Array[Int],
    schema: StructType, narrow: Boolean) extends PartitionReader[ColumnarBatch] {
  private var segment: Segment = _

  /** What keeps it mapped. */
  private var mapping: AnyRef = _
  private var range: RowRange = _
  private var batch = 0

  /** The row of the segment at which `batch` begins. */
  private var begin = 0L
  private var current: ColumnarBatch = _
  private val fetched = ArrayBuffer.empty[RemoteSegments.Open]

  override def next(): Boolean = {
    while (true) {
      if (segment != null && batch < segment.batches && begin < range.to) {
        val rows = segment.rows(batch)
        val from = math.max(0L, range.from - begin).toInt
        val to = math.min(rows.toLong, range.to - begin).toInt
        if (from < to) current = part(from, to - from)
        begin += rows
        batch += 1
        if (from < to) return true
      } else if (ranges.hasNext) {
        range = ranges.next()
        segment = if (LocalHost().is(range.host)) Segment.open(Paths.get(range.path)) else fetch(range)
        segment.require(range.bytes, range.rows, table.toSeq.asJava, narrow)
        mapping = if (fetched.exists(_.segment eq segment)) fetched.last.lease else segment
        batch = 0
        begin = 0
      } else {
        return false
      }
    }
    false
  }

  override def get(): ColumnarBatch = current

  /**
   * The mappings end when nothing refers to them any more; copies of other hosts' segments may go a while after the
   * task.
   */
  override def close(): Unit = if (TaskContext.get() == null) give()

  private def fetch(its: RowRange): Segment = {
    if (fetched.isEmpty) Option(TaskContext.get()).foreach(_.addTaskCompletionListener[Unit](_ => give()))
    fetched += RemoteSegments().open(its.host, its.path, its.bytes, its.crc32c)
    fetched.last.segment
  }

  private def give(): Unit = fetched.foreach(_.close())

  private def part(first: Int, rows: Int): ColumnarBatch = {
    val vectors = columns.indices.map(i =>
      MappedVector.of(mapping, segment.place(batch, columns(i)), first, rows, schema(i).dataType)).toArray
    new ColumnarBatch(vectors, rows)
  }
}
