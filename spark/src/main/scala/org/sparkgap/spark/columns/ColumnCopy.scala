// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.columns

import org.apache.spark.sql.execution.vectorized.OffHeapColumnVector
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}
import org.apache.spark.sql.types.Decimal
import org.sparkgap.store.{ColumnBuffer, SegmentWriter}
import org.sparkgap.store.ColumnType.Kind

/** Column batches into a segment, range by range: column i of the segment is column `ordinals(i)` of each batch. */
private[spark] final class ColumnCopy(ordinals: Array[Int], writer: SegmentWriter) {
  private val values = Array.tabulate(ordinals.length)(i => ValueCopy(writer.column(i)))
  private val strings = new StringCopy

  def append(batch: ColumnarBatch): Unit = {
    val rows = batch.numRows
    var from = 0
    while (from < rows) {
      val count = math.min(writer.room, rows - from)
      var c = 0
      while (c < ordinals.length) {
        append(batch.column(ordinals(c)), from, count, writer.column(c), values(c))
        c += 1
      }
      writer.advance(count)
      from += count
    }
  }

  private def append(vector: ColumnVector, from: Int, count: Int, to: ColumnBuffer, value: ValueCopy): Unit =
    value match {
      case arrays: ArrayCopy => eachValid(vector, from, count, to)(row => arrays.append(vector.getArray(row)))
      // The fields of a null struct may hold anything here, unlike in our own segments.
      case structs: StructCopy if vector.hasNull =>
        eachValid(vector, from, count, to)(row => structs.append(vector.getStruct(row)))
      case structs: StructCopy =>
        to.appendStructs(count)
        structs.fields.indices.foreach(f => append(vector.getChild(f), from, count, to.child(f), structs.fields(f)))
      case _ => appendFlat(vector, from, count, to)
    }

  private def eachValid(vector: ColumnVector, from: Int, count: Int, to: ColumnBuffer)(append: Int => Unit): Unit = {
    var row = from
    while (row < from + count) {
      if (vector.isNullAt(row)) to.appendNull() else append(row)
      row += 1
    }
  }

  private def appendFlat(vector: ColumnVector, from: Int, count: Int, to: ColumnBuffer): Unit = {
    val first = to.rows
    val kind = to.`type`.kind
    vector match {
      case outside: OffHeapColumnVector if to.`type`.width > 0 && kind != Kind.DECIMAL && !outside.hasDictionary =>
        to.appendNative(outside.valuesNativeAddress + from.toLong * to.`type`.width, count)
      case _ => appendRange(vector, from, count, to)
    }
    val oneByOne = kind == Kind.STRING || kind == Kind.BINARY || kind == Kind.DECIMAL
    if (!oneByOne && vector.hasNull) {
      var row = 0
      while (row < count) {
        if (vector.isNullAt(from + row)) to.setNull(first + row)
        row += 1
      }
    }
  }

  private def appendRange(vector: ColumnVector, from: Int, count: Int, to: ColumnBuffer): Unit =
    to.`type`.kind match {
      case Kind.BOOLEAN => to.appendBooleans(vector.getBooleans(from, count), 0, count)
      case Kind.TINYINT => to.appendTinyints(vector.getBytes(from, count), 0, count)
      case Kind.SMALLINT => to.appendShorts(vector.getShorts(from, count), 0, count)
      case Kind.INT | Kind.DATE => to.appendInts(vector.getInts(from, count), 0, count)
      case Kind.BIGINT | Kind.TIMESTAMP | Kind.TIMESTAMP_NTZ => to.appendLongs(vector.getLongs(from, count), 0, count)
      case Kind.FLOAT => to.appendFloats(vector.getFloats(from, count), 0, count)
      case Kind.DOUBLE => to.appendDoubles(vector.getDoubles(from, count), 0, count)
      case _ => appendEach(vector, from, count, to)
    }

  private def appendEach(vector: ColumnVector, from: Int, count: Int, to: ColumnBuffer): Unit = {
    val kind = to.`type`.kind
    val (precision, scale) = (to.`type`.precision, to.`type`.scale)
    var row = from
    while (row < from + count) {
      if (vector.isNullAt(row)) {
        to.appendNull()
      } else if (kind == Kind.STRING) {
        strings.append(vector.getUTF8String(row), to)
      } else if (kind == Kind.BINARY) {
        val bytes = vector.getBinary(row)
        to.appendBytes(bytes, 0, bytes.length)
      } else {
        ColumnCopy.appendDecimal(vector.getDecimal(row, precision, scale), to)
      }
      row += 1
    }
  }
}

private[spark] object ColumnCopy {
  def appendDecimal(value: Decimal, to: ColumnBuffer): Unit =
    if (to.`type`.precision <= Decimal.MAX_LONG_DIGITS) to.appendDecimal(value.toUnscaledLong)
    else to.appendDecimal(value.toJavaBigDecimal.unscaledValue)
}
