// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.ml

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.types.{LongType, StringType, StructType}
import org.apache.spark.sql.vectorized.ColumnVector
import org.sparkgap.spark.columns.Types
import org.sparkgap.spark.table.{StoreReaderFactory, StoreScan}
import org.sparkgap.store.Manifest

/** What a kernel of the family `ml` has learnt: its rows by columns of numbers, and what it says of its run. */
private[sparkgap] final case class ModelRows(columns: Map[String, Array[_]], figures: Map[String, Array[Double]],
    iterations: Int) {
  def values: Array[Double] = columns("value").asInstanceOf[Array[Double]]

  /** A figure that is one number. */
  def figure(name: String): Double = figures(name).head

  /** `value` by two columns of numbers: rows from 0 on, columns from the least on, which is 0 or -1. */
  def matrix(row: String, column: String): Array[Array[Double]] = {
    val (rows, places, own) =
      (columns(row).asInstanceOf[Array[Long]], columns(column).asInstanceOf[Array[Long]], values)
    var (least, most, last, i) = (Long.MaxValue, Long.MinValue, 0L, 0)
    // Loops without closures: they run once, in a JVM that has not compiled them.
    while (i < own.length) {
      least = math.min(least, places(i))
      most = math.max(most, places(i))
      last = math.max(last, rows(i))
      i += 1
    }
    val made = Array.ofDim[Double](last.toInt + 1, (most - least).toInt + 1)
    i = 0
    while (i < own.length) {
      made(rows(i).toInt)((places(i) - least).toInt) = own(i)
      i += 1
    }
    made
  }
}

private[sparkgap] object ModelRows {

  /** The columns of a table of any host, as this process reads them: no job of Spark, no row objects. */
  def columns(table: Manifest): Map[String, Array[_]] = {
    val all = Types.spark(table.columns.asScala.toSeq)
    // Words only say what the order of the rows says too, and would be most of the time.
    val numbers = all.indices.filter(all(_).dataType != StringType).toArray
    val schema = StructType(numbers.map(all(_)))
    val factory = new StoreReaderFactory(table, numbers, schema)
    val whole = schema.map(column =>
      if (column.dataType == LongType) new Array[Long](table.rows.toInt) else new Array[Double](table.rows.toInt))
    var before = 0
    StoreScan.partitions(table, 1).foreach { partition =>
      val reader = factory.createColumnarReader(partition)
      try while (reader.next()) {
          val batch = reader.get()
          for (i <- whole.indices) copy(batch.column(i), batch.numRows, whole(i), before)
          before += batch.numRows
        }
      finally reader.close()
    }
    schema.fieldNames.zip(whole).toMap
  }

  private def copy(of: ColumnVector, rows: Int, whole: Array[_], at: Int): Unit = (whole: @unchecked) match {
    case to: Array[Long] => System.arraycopy(of.getLongs(0, rows), 0, to, at, rows)
    case to: Array[Double @unchecked] => System.arraycopy(of.getDoubles(0, rows), 0, to, at, rows)
  }
}
