// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.columns

import org.apache.spark.sql.types.{ArrayType, DataType, Decimal, StructType}
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarArray, ColumnarMap}
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String
import org.sparkgap.store.{ColumnPlace, SparkGapException}

/**
 * Rows `first` until `first + rows` of a column of arrays or structs. The elements of all arrays of the batch are one
 * vector, into which offsets lead; the fields of structs are vectors of the same rows.
 *
 * A class of its own, because in MappedVector each value would cost one more branch.
 */
private[spark] final class NestedVector(val mapping: AnyRef, place: ColumnPlace, first: Int, rows: Int,
    dataType: DataType) extends ColumnVector(dataType) {
  private val validity = place.validity
  private val offsets = place.offsets + first * 4L
  private lazy val nulls: Int =
    if (validity == 0) 0 else if (rows == place.rows) place.nulls.toInt else (0 until rows).count(isNullAt)
  private val children: Array[ColumnVector] = dataType match {
    case array: ArrayType =>
      Array(MappedVector.of(mapping, place.children.get(0), 0, place.children.get(0).rows, array.elementType))
    case struct: StructType => Array.tabulate(struct.length)(i =>
        MappedVector.of(mapping, place.children.get(i), first, rows, struct(i).dataType))
    case other => throw new IllegalArgumentException(s"a nested column of type ${other.simpleString}")
  }

  override def close(): Unit = ()

  override def hasNull: Boolean = validity != 0

  override def numNulls: Int = nulls

  override def isNullAt(row: Int): Boolean =
    validity != 0 && (Platform.getByte(null, validity + (first + row >> 3)) >> (first + row & 7) & 1) == 0

  override def getArray(row: Int): ColumnarArray =
    if (isNullAt(row)) {
      null
    } else {
      val from = Platform.getInt(null, offsets + row * 4L)
      val to = Platform.getInt(null, offsets + row * 4L + 4)
      val elements = place.children.get(0).rows
      // As for strings: opening a segment does not check each offset, so a damaged offset is refused here.
      if (from < 0 || to < from || to > elements) {
        throw new SparkGapException(SparkGapException.DATA, s"segment column ${place.column.name}",
          s"offsets within $elements elements", s"$from to $to", "Do make the table again")
      }
      new ColumnarArray(children(0), from, to - from)
    }

  /** A field of the structs; the elements of the arrays as 0. */
  override def getChild(ordinal: Int): ColumnVector = children(ordinal)

  override def getBoolean(row: Int): Boolean = none

  override def getByte(row: Int): Byte = none

  override def getShort(row: Int): Short = none

  override def getInt(row: Int): Int = none

  override def getLong(row: Int): Long = none

  override def getFloat(row: Int): Float = none

  override def getDouble(row: Int): Double = none

  override def getDecimal(row: Int, precision: Int, scale: Int): Decimal = none

  override def getUTF8String(row: Int): UTF8String = none

  override def getBinary(row: Int): Array[Byte] = none

  override def getMap(row: Int): ColumnarMap = none

  private def none: Nothing = throw new UnsupportedOperationException(s"a value of ${dataType().simpleString}")
}
