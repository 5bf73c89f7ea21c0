// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.kernel

import java.util.{List => JList}

import scala.jdk.CollectionConverters._

import org.apache.spark.SparkContext
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.ColumnVector
import org.sparkgap.spark.application.LocalHost
import org.sparkgap.spark.columns.Types
import org.sparkgap.spark.table.{RowRange, StorePartition, StoreReaderFactory, StoreScan}
import org.sparkgap.store.Manifest

/**
 * How many numbers a model will have that a kernel learns from a table: of each feature as many as there are clusters,
 * topics or classes.
 *
 * @param parameters
 *   of the kernel, by name; `features` are columns of the table
 */
private[spark] final class ModelSize(context: SparkContext, table: Manifest, schema: StructType,
    parameters: Map[String, Any]) {
  import ModelSize._

  private val features: Seq[String] = parameters.get("features") match {
    case Some(names: JList[_]) => names.asScala.map(_.toString).toSeq
    case _ => Seq.empty
  }

  /**
   * @param each
   *   what there is for each feature: a parameter's name, "label" for the classes of that column, "features" for as
   *   many as there are features
   */
  def numbers(each: String): Long = {
    val width = if (features.length == 1) first(features.head, new Length) else features.length.toLong
    each match {
      case "features" => width * width
      case "label" => width * (if (width < Wide) ManyClasses else classes)
      case parameter => width * parameters.get(parameter).collect { case n: Number => n.longValue }.getOrElse(1L)
    }
  }

  /** Labels are classes from 0 on. */
  private def classes: Long = parameters.get("label").filter(_ != null).fold(1L) { label =>
    math.min(read(label.toString, StoreScan.partitions(table, context.defaultParallelism), new Greatest).foldLeft(0L)(
        math.max) + 1, MostClasses)
  }

  private def first(column: String, look: Look): Long =
    table.segments.asScala.find(_.rows > 0).fold(0L)(s =>
      read(column, Seq(StorePartition(s.host, Seq(RowRange(s.host, s.path, s.rows, s.bytes, s.crc32c, 0, 1)))),
        look).head)

  /** By this process where the rows are here: a job of Spark would take longer than many a kernel. */
  private def read(column: String, partitions: Seq[StorePartition], look: Look): Seq[Long] = {
    val position = table.columns.asScala.indexWhere(_.name == column)
    val task = new LookTask(new StoreReaderFactory(table, Array(position),
        StructType(Seq(schema(column).copy(dataType = Types.bare(schema(column).dataType)))), narrow = true), look)
    if (context.isLocal || partitions.forall(p => LocalHost().is(p.host))) partitions.map(task.apply)
    else context.runJob(context.makeRDD(partitions.map(p => (p, p.preferredLocations.toSeq))),
      (all: Iterator[StorePartition]) => all.map(task.apply).toArray).toSeq.flatten
  }
}

private[spark] object ModelSize {

  /** Below so many features the labels are not looked at: a model of `ManyClasses` is small still. */
  private val Wide = 1 << 13
  private val ManyClasses = 100L

  /** More no kernel takes. */
  private val MostClasses = 1L << 20

  private sealed abstract class Look extends Serializable {
    def of(column: ColumnVector, kind: DataType, rows: Int): Long
  }

  /** Of the first row's features. */
  private final class Length extends Look {
    override def of(column: ColumnVector, kind: DataType, rows: Int): Long = kind match {
      case _ if column.isNullAt(0) => 0
      case _: ArrayType => column.getArray(0).numElements
      // What a vector is made of: its kind, 0 where it is sparse, its size then, indices and values.
      case _: StructType => if (column.getChild(0).getByte(0) == 0) column.getChild(1).getInt(0)
        else column.getChild(3).getArray(0).numElements
      case _ => 1
    }
  }

  private final class Greatest extends Look {
    override def of(column: ColumnVector, kind: DataType, rows: Int): Long = {
      val value: Int => Double = kind match {
        case ByteType => column.getByte(_)
        case ShortType => column.getShort(_)
        case IntegerType => column.getInt(_)
        case LongType => column.getLong(_).toDouble
        case FloatType => column.getFloat(_)
        case _ => column.getDouble(_)
      }
      var (greatest, row) = (0.0, 0)
      while (row < rows) {
        greatest = math.max(greatest, value(row))
        row += 1
      }
      greatest.toLong
    }
  }

  private final class LookTask(factory: StoreReaderFactory, look: Look) extends Serializable {
    def apply(partition: StorePartition): Long = {
      val reader = factory.createColumnarReader(partition)
      var most = 0L
      try while (reader.next())
          most = math.max(most, look.of(reader.get().column(0), reader.get().column(0).dataType, reader.get().numRows))
      finally reader.close()
      most
    }
  }
}
