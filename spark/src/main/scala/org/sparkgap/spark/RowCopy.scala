// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark

import org.apache.spark.sql.catalyst.InternalRow
import org.sparkgap.store.{ColumnBuffer, ColumnType, SegmentWriter}
import org.sparkgap.store.ColumnType.Kind

/** Rows into a segment: one appender per column, made once, none of which boxes a value. */
private[spark] final class RowCopy(columns: Array[ColumnType], writer: SegmentWriter) {
  private val appenders = columns.indices.map(i => RowCopy.appender(columns(i), i, writer.column(i))).toArray

  def append(row: InternalRow): Unit = {
    var c = 0
    while (c < appenders.length) {
      appenders(c).append(row)
      c += 1
    }
    writer.advance(1)
  }
}

private[spark] object RowCopy {
  abstract class Appender(ordinal: Int, to: ColumnBuffer) {
    def value(row: InternalRow): Unit

    final def append(row: InternalRow): Unit = if (row.isNullAt(ordinal)) to.appendNull() else value(row)
  }

  private def appender(column: ColumnType, i: Int, to: ColumnBuffer): Appender = column.kind match {
    case Kind.BOOLEAN => new Appender(i, to) { def value(row: InternalRow): Unit = to.appendBoolean(row.getBoolean(i)) }
    case Kind.TINYINT => new Appender(i, to) { def value(row: InternalRow): Unit = to.appendByte(row.getByte(i)) }
    case Kind.SMALLINT => new Appender(i, to) { def value(row: InternalRow): Unit = to.appendShort(row.getShort(i)) }
    case Kind.INT | Kind.DATE => new Appender(i, to) { def value(row: InternalRow): Unit = to.appendInt(row.getInt(i)) }
    case Kind.BIGINT | Kind.TIMESTAMP | Kind.TIMESTAMP_NTZ => new Appender(i, to) { def value(row: InternalRow): Unit = to.appendLong(row.getLong(i)) }
    case Kind.FLOAT => new Appender(i, to) { def value(row: InternalRow): Unit = to.appendFloat(row.getFloat(i)) }
    case Kind.DOUBLE => new Appender(i, to) { def value(row: InternalRow): Unit = to.appendDouble(row.getDouble(i)) }
    case Kind.DECIMAL => new Appender(i, to) {
      def value(row: InternalRow): Unit = ColumnCopy.appendDecimal(row.getDecimal(i, column.precision, column.scale), to)
    }
    case Kind.STRING => new Appender(i, to) {
      private val strings = new StringCopy
      def value(row: InternalRow): Unit = strings.append(row.getUTF8String(i), to)
    }
    case Kind.BINARY => new Appender(i, to) {
      def value(row: InternalRow): Unit = {
        val bytes = row.getBinary(i)
        to.appendBytes(bytes, 0, bytes.length)
      }
    }
  }
}
