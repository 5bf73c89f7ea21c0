// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.cache

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnarBatch
import org.sparkgap.spark.columns.{ColumnCopy, RowCopy, RowVectors}
import org.sparkgap.store.SegmentWriter

/** The form of the input of a cache: rows or columns. */
private[spark] sealed trait CachedForm[T] extends Serializable {
  def schema: StructType

  def rows(part: T): Long

  /** Appends to the writer. */
  def copy(writer: SegmentWriter): T => Unit

  def batches(parts: Iterator[T]): Iterator[ColumnarBatch]
}

private[spark] final class CachedRows(override val schema: StructType) extends CachedForm[InternalRow] {
  override def rows(row: InternalRow): Long = 1

  override def copy(writer: SegmentWriter): InternalRow => Unit = {
    val rows = new RowCopy(schema.length, writer)
    rows.append
  }

  override def batches(rows: Iterator[InternalRow]): Iterator[ColumnarBatch] = new RowBatches(rows, schema)
}

private[spark] final class CachedColumns(override val schema: StructType) extends CachedForm[ColumnarBatch] {
  override def rows(batch: ColumnarBatch): Long = batch.numRows

  override def copy(writer: SegmentWriter): ColumnarBatch => Unit = {
    val columns = new ColumnCopy(schema.indices.toArray, writer)
    columns.append
  }

  override def batches(batches: Iterator[ColumnarBatch]): Iterator[ColumnarBatch] = batches
}

private final class RowBatches(rows: Iterator[InternalRow], schema: StructType) extends Iterator[ColumnarBatch] {
  private val vectors = new RowVectors(schema)

  override def hasNext: Boolean = rows.hasNext

  override def next(): ColumnarBatch = {
    while (vectors.append(rows.next()) && rows.hasNext) {}
    vectors.take()
  }
}
