// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.types.{DoubleType, LongType}
import org.apache.spark.sql.vectorized.ColumnVector
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
    val parts = StoreScan.partitions(table, 1).map { partition =>
      val reader = factory.createColumnarReader(partition)
      try Iterator.continually(reader.next()).takeWhile(identity).map { _ =>
        val batch = reader.get()
        schema.indices.map(i => values(batch.column(i), batch.numRows))
      }.toVector
      finally reader.close()
    }
    schema.indices.map { i =>
      val each = parts.flatten.map(_(i))
      schema(i).name -> (schema(i).dataType match {
        case LongType => each.flatMap(_.asInstanceOf[Array[Long]]).toArray
        case DoubleType => each.flatMap(_.asInstanceOf[Array[Double]]).toArray
        case _ => each.flatMap(_.asInstanceOf[Array[String]]).toArray
      })
    }.toMap
  }

  private def values(of: ColumnVector, rows: Int): Array[_] = of.dataType match {
    case LongType => Array.tabulate(rows)(of.getLong)
    case DoubleType => Array.tabulate(rows)(of.getDouble)
    case _ => Array.tabulate(rows)(of.getUTF8String(_).toString)
  }
}
