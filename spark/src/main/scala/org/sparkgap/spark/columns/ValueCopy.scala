// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.columns

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters
import org.apache.spark.sql.catalyst.util.ArrayData
import org.sparkgap.store.ColumnBuffer
import org.sparkgap.store.ColumnType.Kind

/**
 * Copies values of one type out of rows or arrays into a buffer without boxing. Made once per column, and below it once
 * per element type and field.
 */
private[spark] abstract class ValueCopy(to: ColumnBuffer) {

  /** A value that is not null. */
  def value(from: SpecializedGetters, i: Int): Unit

  final def append(from: SpecializedGetters, i: Int): Unit = if (from.isNullAt(i)) to.appendNull() else value(from, i)
}

private[spark] object ValueCopy {
  def apply(to: ColumnBuffer): ValueCopy = to.`type`.kind match {
    case Kind.BOOLEAN =>
      new ValueCopy(to) { def value(from: SpecializedGetters, i: Int): Unit = to.appendBoolean(from.getBoolean(i)) }
    case Kind.TINYINT =>
      new ValueCopy(to) { def value(from: SpecializedGetters, i: Int): Unit = to.appendByte(from.getByte(i)) }
    case Kind.SMALLINT =>
      new ValueCopy(to) { def value(from: SpecializedGetters, i: Int): Unit = to.appendShort(from.getShort(i)) }
    case Kind.INT | Kind.DATE =>
      new ValueCopy(to) { def value(from: SpecializedGetters, i: Int): Unit = to.appendInt(from.getInt(i)) }
    case Kind.BIGINT | Kind.TIMESTAMP | Kind.TIMESTAMP_NTZ =>
      new ValueCopy(to) { def value(from: SpecializedGetters, i: Int): Unit = to.appendLong(from.getLong(i)) }
    case Kind.FLOAT =>
      new ValueCopy(to) { def value(from: SpecializedGetters, i: Int): Unit = to.appendFloat(from.getFloat(i)) }
    case Kind.DOUBLE =>
      new ValueCopy(to) { def value(from: SpecializedGetters, i: Int): Unit = to.appendDouble(from.getDouble(i)) }
    case Kind.DECIMAL => new ValueCopy(to) {
        private val (precision, scale) = (to.`type`.precision, to.`type`.scale)
        def value(from: SpecializedGetters, i: Int): Unit =
          ColumnCopy.appendDecimal(from.getDecimal(i, precision, scale), to)
      }
    case Kind.STRING => new ValueCopy(to) {
        private val strings = new StringCopy
        def value(from: SpecializedGetters, i: Int): Unit = strings.append(from.getUTF8String(i), to)
      }
    case Kind.BINARY => new ValueCopy(to) {
        def value(from: SpecializedGetters, i: Int): Unit = {
          val bytes = from.getBinary(i)
          to.appendBytes(bytes, 0, bytes.length)
        }
      }
    case Kind.ARRAY => new ArrayCopy(to)
    case Kind.STRUCT => new StructCopy(to)
  }
}

/** Arrays; elements of a fixed width without nulls go as one range. */
private[spark] final class ArrayCopy(to: ColumnBuffer) extends ValueCopy(to) {
  private val elements = to.child(0)
  private val each = ValueCopy(elements)
  private val containsNull = to.`type`.children.get(0).nullable

  override def value(from: SpecializedGetters, i: Int): Unit = append(from.getArray(i))

  def append(array: ArrayData): Unit = {
    val count = array.numElements()
    to.appendArray(count)
    if (containsNull && hasNull(array, count)) appendEach(array, count) else appendRange(array, count)
  }

  private def appendRange(array: ArrayData, count: Int): Unit = elements.`type`.kind match {
    case Kind.BOOLEAN => elements.appendBooleans(array.toBooleanArray(), 0, count)
    case Kind.TINYINT => elements.appendTinyints(array.toByteArray(), 0, count)
    case Kind.SMALLINT => elements.appendShorts(array.toShortArray(), 0, count)
    case Kind.INT | Kind.DATE => elements.appendInts(array.toIntArray(), 0, count)
    case Kind.BIGINT | Kind.TIMESTAMP | Kind.TIMESTAMP_NTZ => elements.appendLongs(array.toLongArray(), 0, count)
    case Kind.FLOAT => elements.appendFloats(array.toFloatArray(), 0, count)
    case Kind.DOUBLE => elements.appendDoubles(array.toDoubleArray(), 0, count)
    case Kind.DECIMAL | Kind.STRING | Kind.BINARY | Kind.ARRAY | Kind.STRUCT => appendEach(array, count)
  }

  private def appendEach(array: ArrayData, count: Int): Unit = {
    var i = 0
    while (i < count) {
      each.append(array, i)
      i += 1
    }
  }

  private def hasNull(array: ArrayData, count: Int): Boolean = {
    var i = 0
    while (i < count && !array.isNullAt(i)) i += 1
    i < count
  }
}

private[spark] final class StructCopy(to: ColumnBuffer) extends ValueCopy(to) {
  val fields: Array[ValueCopy] = Array.tabulate(to.`type`.children.size)(i => ValueCopy(to.child(i)))

  override def value(from: SpecializedGetters, i: Int): Unit = append(from.getStruct(i, fields.length))

  def append(row: InternalRow): Unit = {
    to.appendStructs(1)
    var f = 0
    while (f < fields.length) {
      fields(f).append(row, f)
      f += 1
    }
  }
}
