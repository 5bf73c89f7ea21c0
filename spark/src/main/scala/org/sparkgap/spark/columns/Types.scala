// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.columns

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.types._
import org.sparkgap.store.{Column, ColumnType, SparkGapException}
import org.sparkgap.store.ColumnType.Kind

/** Spark's types and those of store/FORMAT.md, one to one. */
private[spark] object Types {
  private val Simple: Seq[(DataType, Kind)] = Seq(
    BooleanType -> Kind.BOOLEAN,
    ByteType -> Kind.TINYINT,
    ShortType -> Kind.SMALLINT,
    IntegerType -> Kind.INT,
    LongType -> Kind.BIGINT,
    FloatType -> Kind.FLOAT,
    DoubleType -> Kind.DOUBLE,
    DateType -> Kind.DATE,
    TimestampType -> Kind.TIMESTAMP,
    TimestampNTZType -> Kind.TIMESTAMP_NTZ,
    StringType -> Kind.STRING,
    BinaryType -> Kind.BINARY
  )
  private val ToStore: Map[DataType, ColumnType] = Simple.map { case (spark, kind) =>
    spark -> ColumnType.of(kind)
  }.toMap
  private val ToSpark: Map[Kind, DataType] = Simple.map(_.swap).toMap

  def find(dataType: DataType): Option[ColumnType] = dataType match {
    case decimal: DecimalType => Some(ColumnType.decimal(decimal.precision, decimal.scale))
    case ArrayType(element, containsNull) => find(element).filter(fits).map(ColumnType.array(_, containsNull))
    case StructType(fields) =>
      val found =
        fields.toSeq.flatMap(field => find(field.dataType).filter(fits).map(new Column(field.name, _, field.nullable)))
      if (found.nonEmpty && found.length == fields.length) Some(ColumnType.struct(found.asJava)) else None
    case other => ToStore.get(other)
  }

  /** The type that Spark stores for a user-defined one: MLlib's vector is a struct. */
  def bare(dataType: DataType): DataType = dataType match {
    case own: UserDefinedType[_] => bare(own.sqlType)
    case ArrayType(element, containsNull) => ArrayType(bare(element), containsNull)
    case schema: StructType => bare(schema)
    case other => other
  }

  def bare(schema: StructType): StructType =
    StructType(schema.map(field => field.copy(dataType = bare(field.dataType))))

  private def fits(inner: ColumnType): Boolean = inner.depth < ColumnType.MAX_DEPTH

  def spark(column: ColumnType): DataType = column.kind match {
    case Kind.DECIMAL => DecimalType(column.precision, column.scale)
    case Kind.ARRAY => ArrayType(spark(column.children.get(0).`type`), column.children.get(0).nullable)
    case Kind.STRUCT => spark(column.children.asScala.toSeq)
    case kind => ToSpark(kind)
  }

  def spark(columns: Seq[Column]): StructType =
    StructType(columns.map(c => StructField(c.name, spark(c.`type`), c.nullable)))

  /** The innermost type that the store does not have. */
  private def stranger(dataType: DataType): DataType = {
    val parts = dataType match {
      case ArrayType(element, _) => Seq(element)
      case StructType(fields) => fields.toSeq.map(_.dataType)
      case _ => Seq.empty
    }
    parts.find(find(_).isEmpty).map(stranger).getOrElse(dataType)
  }

  /** Errors: code 3 naming the first column whose type the store does not have. */
  def columns(table: String, schema: StructType): Seq[Column] = schema.fields.toSeq.map { field =>
    val kind = find(field.dataType).getOrElse(throw new SparkGapException(
        SparkGapException.DATA,
        s"$table.${field.name}",
        "a type that the store keeps (boolean, integers, float, double, decimal, date, timestamp, string, binary, " +
          "and arrays and structs of these)",
        stranger(field.dataType).catalogString,
        "Do cast it or leave it out"
      ))
    new Column(field.name, kind, field.nullable)
  }
}
