// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.types.{DataType, DoubleType, LongType}
import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.unsafe.types.UTF8String
import org.sparkgap.store.Manifest

/** What a kernel of the family `ml` has learnt: its rows by columns, and what it says of its run. */
private[sparkgap] final case class ModelRows(columns: Map[String, Array[_]], figures: Map[String, Array[Double]], iterations: Int) {
  def values: Array[Double] = columns("value").asInstanceOf[Array[Double]]

  /** A figure that is one number. */
  def figure(name: String): Double = figures(name).head

  /** `value` by two columns of numbers: rows from 0 on, columns from the least on, which is 0 or -1. */
  def matrix(row: String, column: String): Array[Array[Double]] = {
    val (rows, places, own) = (columns(row).asInstanceOf[Array[Long]], columns(column).asInstanceOf[Array[Long]], values)
    val least = places.min
    val made = Array.ofDim[Double](rows.max.toInt + 1, (places.max - least).toInt + 1)
    for (i <- own.indices) made(rows(i).toInt)((places(i) - least).toInt) = own(i)
    made
  }
}

private[sparkgap] object ModelRows {
  /** The columns of a table of any host, as this process reads them: no job of Spark, no row objects. */
  def columns(table: Manifest): Map[String, Array[_]] = {
    val schema = Types.spark(table.columns.asScala.toSeq)
    val factory = new StoreReaderFactory(schema.indices.toArray, schema)
    val whole = schema.map(column => empty(column.dataType, table.rows.toInt))
    var before = 0
    StoreScan.partitions(table, 1).foreach { partition =>
      val reader = factory.createColumnarReader(partition)
      try while (reader.next()) {
        val batch = reader.get()
        for (i <- whole.indices) copy(batch.column(i), batch.numRows, whole(i), before)
        before += batch.numRows
      } finally reader.close()
    }
    schema.fieldNames.zip(whole).toMap
  }

  private def empty(kind: DataType, rows: Int): Array[_] = kind match {
    case LongType => new Array[Long](rows)
    case DoubleType => new Array[Double](rows)
    case _ => new Array[String](rows)
  }

  private def copy(of: ColumnVector, rows: Int, whole: Array[_], at: Int): Unit = whole match {
    case to: Array[Long] => for (i <- 0 until rows) to(at + i) = of.getLong(i)
    case to: Array[Double] => for (i <- 0 until rows) to(at + i) = of.getDouble(i)
    case to: Array[String @unchecked] =>
      // Words come in runs: one object for each.
      var last: UTF8String = null
      for (i <- 0 until rows) {
        val next = of.getUTF8String(i)
        to(at + i) = if (last != null && next == last) to(at + i - 1) else next.toString
        last = next
      }
  }
}
