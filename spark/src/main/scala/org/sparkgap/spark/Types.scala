// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark

import org.apache.spark.sql.types._
import org.sparkgap.store.{Column, ColumnType, SparkGapException}
import org.sparkgap.store.ColumnType.Kind

/** Spark's types and those of store/FORMAT.md, one to one. */
private[spark] object Types {
  private val Simple: Seq[(DataType, Kind)] = Seq(
    BooleanType -> Kind.BOOLEAN, ByteType -> Kind.TINYINT, ShortType -> Kind.SMALLINT, IntegerType -> Kind.INT, LongType -> Kind.BIGINT,
    FloatType -> Kind.FLOAT, DoubleType -> Kind.DOUBLE, DateType -> Kind.DATE, TimestampType -> Kind.TIMESTAMP, TimestampNTZType -> Kind.TIMESTAMP_NTZ,
    StringType -> Kind.STRING, BinaryType -> Kind.BINARY)
  private val ToStore: Map[DataType, ColumnType] = Simple.map { case (spark, kind) => spark -> ColumnType.of(kind) }.toMap
  private val ToSpark: Map[Kind, DataType] = Simple.map(_.swap).toMap

  def find(dataType: DataType): Option[ColumnType] = dataType match {
    case decimal: DecimalType => Some(ColumnType.decimal(decimal.precision, decimal.scale))
    case other => ToStore.get(other)
  }

  def spark(column: ColumnType): DataType = column.kind match {
    case Kind.DECIMAL => DecimalType(column.precision, column.scale)
    case kind => ToSpark(kind)
  }

  def spark(columns: Seq[Column]): StructType = StructType(columns.map(c => StructField(c.name, spark(c.`type`), c.nullable)))

  /** Errors: code 3 naming the first column whose type the store does not have. */
  def columns(table: String, schema: StructType): Seq[Column] = schema.fields.toSeq.map { field =>
    val kind = find(field.dataType).getOrElse(throw new SparkGapException(SparkGapException.DATA, s"$table.${field.name}",
      "a type that the store keeps (boolean, integers, float, double, decimal, date, timestamp, string, binary)", field.dataType.simpleString, "Do cast it or leave it out"))
    new Column(field.name, kind, field.nullable)
  }
}
