// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.table

import scala.collection.mutable.ArrayBuffer
import scala.jdk.CollectionConverters._

import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.types.{StructField, StructType}
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}
import org.sparkgap.store.{Manifest, SparkGapException}

/**
 * The rows of a table's segments, in their order and as often as they are asked for; copies of other hosts' segments
 * are kept until this is closed.
 *
 * @param name
 *   for errors, as the user gave it
 * @param schema
 *   the columns that are asked for; the segments may hold more
 */
private[spark] final class TableRows(
    val name: String, manifest: Manifest, val schema: StructType) extends AutoCloseable {
  private val readers = ArrayBuffer.empty[PartitionReader[ColumnarBatch]]
  private val positions = schema.fieldNames.map(column => manifest.columns.asScala.indexWhere(_.name == column))

  def rows: Long = manifest.rows

  def fields: Array[StructField] = schema.fields

  /** Column i of each batch is `columns(i)` of the schema. */
  def batches(columns: Seq[Int] = schema.indices): Iterator[ColumnarBatch] = {
    val all = manifest.segments.asScala.map(s => RowRange(s.host, s.path, s.rows, s.bytes, s.crc32c, 0, s.rows)).toSeq
    val asked = columns.toArray
    val reader =
      new StoreReaderFactory(manifest, asked.map(positions(_)), StructType(asked.map(schema(_)))).createColumnarReader(
        StorePartition("", all))
    readers += reader
    Iterator.continually(reader.next()).takeWhile(identity).map(_ => reader.get())
  }

  override def close(): Unit = readers.foreach(_.close())

  /**
   * Errors: code 3 where there is a null among these rows, for formats that have no word for it. `before` are the rows
   * ahead of the batch.
   */
  def requireNoNull(vector: ColumnVector, column: Int, rows: Int, before: Long): Unit = if (vector.hasNull) {
    (0 until rows).find(vector.isNullAt).foreach(row =>
      refuse(column, before + row, "a value", "a null", "Do fill or drop nulls, or choose csv"))
  }

  def refuse(column: Int, row: Long, expected: String, found: String, action: String): Nothing =
    throw new SparkGapException(SparkGapException.DATA, s"$name.${schema(column).name}, row ${row + 1}", expected,
      found, action)
}
