// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.cache

import java.math.{BigDecimal => JBigDecimal, BigInteger}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.columnar.SimpleMetricsCachedBatch
import org.apache.spark.sql.types.{DataType, Decimal, DecimalType, StructType}
import org.apache.spark.unsafe.types.UTF8String
import org.sparkgap.store.{ColumnStatistics, SegmentInfo}

/**
 * A segment of a cached partition. A plain class: Kryo, where a session uses it, cannot carry a record such as
 * SegmentInfo.
 */
private[spark] final class CachedSegment(val host: String, val path: String, val rows: Long, val bytes: Long,
    val crc32c: String) extends Serializable {
  def info: SegmentInfo = new SegmentInfo(host, path, rows, bytes, crc32c)
}

/**
 * What Spark's block manager keeps of a cached batch: where it is, about 200 bytes on the heap.
 *
 * It owns nothing. Spark writes handles out and reads them in again as it likes (serialized storage levels, eviction,
 * other executors) and does not say when it drops one, so the files belong to CachedTables.
 */
private[spark] final class CachedHandle(val segment: CachedSegment, val index: Int, override val numRows: Int,
    override val sizeInBytes: Long, override val stats: InternalRow)
    extends SimpleMetricsCachedBatch with Serializable

/** A partition for which there was no room anywhere: its readers compute it again. */
private[spark] final class AbsentPartition(val rows: Long) extends SimpleMetricsCachedBatch with Serializable {
  override def numRows: Int = math.min(rows, Int.MaxValue.toLong).toInt

  override def sizeInBytes: Long = 0

  override val stats: InternalRow = InternalRow.empty
}

private[spark] object CachedHandle {

  /** The row that Spark's filter reads: lower bound, upper bound, nulls, rows and bytes of each column. */
  def statistics(columns: Seq[ColumnStatistics], rows: Int, schema: StructType): InternalRow =
    new GenericInternalRow(columns.zip(schema.fields).flatMap { case (column, field) =>
      Seq[Any](bound(column.lower, field.dataType), bound(column.upper, field.dataType), column.nulls, rows,
        column.bytes)
    }.toArray)

  private def bound(value: Any, dataType: DataType): Any = (value, dataType) match {
    case (text: Array[Byte], _) => UTF8String.fromBytes(text)
    case (unscaled: BigInteger, decimal: DecimalType) =>
      Decimal(new JBigDecimal(unscaled, decimal.scale), decimal.precision, decimal.scale)
    case (other, _) => other
  }
}
