// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.columns

import java.math.{BigDecimal => JBigDecimal, BigInteger}
import java.nio.{ByteBuffer, ByteOrder}

import org.apache.spark.sql.types.{DataType, Decimal, LongType}
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarArray, ColumnarMap}
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String
import org.sparkgap.store.{ColumnPlace, SparkGapException}
import org.sparkgap.store.ColumnType.Kind

/**
 * Rows `first` until `first + rows` of one flat column of one batch, read where they are mapped. Arrays and structs are
 * NestedVector's.
 *
 * Spark's own vector over Arrow goes through Arrow's buffer classes and costs more per value, so this one reads the
 * address with Spark's `Platform` (an internal class; it is touched here and in NestedVector only). `close` has nothing
 * to free, and Spark may close a batch that others still read.
 *
 * @param mapping
 *   what must stay reachable for the addresses to be valid, a Segment or a lease on one; a field, or the compiler would
 *   not keep it
 */
private[spark] class MappedVector(
    val mapping: AnyRef, place: ColumnPlace, first: Int, rows: Int, dataType: DataType) extends ColumnVector(dataType) {
  private val width = place.column.`type`.width
  private val validity = place.validity
  private val offsets = if (place.offsets == 0) 0L else place.offsets + first * 4L
  private val base = place.values
  private val values = if (width > 0) base + first.toLong * width else base
  private val dataBytes = place.dataBytes
  private lazy val nulls: Int =
    if (validity == 0) 0 else if (rows == place.rows) place.nulls.toInt else (0 until rows).count(isNullAt)

  override def close(): Unit = ()

  override def hasNull: Boolean = validity != 0

  override def numNulls: Int = nulls

  override def isNullAt(row: Int): Boolean = validity != 0 && !bit(validity, first + row)

  override def getBoolean(row: Int): Boolean = bit(base, first + row)

  override def getByte(row: Int): Byte = Platform.getByte(null, values + row)

  override def getShort(row: Int): Short = Platform.getShort(null, values + row * 2L)

  override def getInt(row: Int): Int = Platform.getInt(null, values + row * 4L)

  override def getLong(row: Int): Long = Platform.getLong(null, values + row * 8L)

  override def getFloat(row: Int): Float = Platform.getFloat(null, values + row * 4L)

  override def getDouble(row: Int): Double = Platform.getDouble(null, values + row * 8L)

  override def getBytes(row: Int, count: Int): Array[Byte] = {
    val range = new Array[Byte](count)
    Platform.copyMemory(null, values + row, range, Platform.BYTE_ARRAY_OFFSET, count)
    range
  }

  override def getShorts(row: Int, count: Int): Array[Short] = {
    val range = new Array[Short](count)
    Platform.copyMemory(null, values + row * 2L, range, Platform.SHORT_ARRAY_OFFSET, count * 2L)
    range
  }

  override def getInts(row: Int, count: Int): Array[Int] = {
    val range = new Array[Int](count)
    Platform.copyMemory(null, values + row * 4L, range, Platform.INT_ARRAY_OFFSET, count * 4L)
    range
  }

  override def getLongs(row: Int, count: Int): Array[Long] = {
    val range = new Array[Long](count)
    Platform.copyMemory(null, values + row * 8L, range, Platform.LONG_ARRAY_OFFSET, count * 8L)
    range
  }

  override def getFloats(row: Int, count: Int): Array[Float] = {
    val range = new Array[Float](count)
    Platform.copyMemory(null, values + row * 4L, range, Platform.FLOAT_ARRAY_OFFSET, count * 4L)
    range
  }

  override def getDoubles(row: Int, count: Int): Array[Double] = {
    val range = new Array[Double](count)
    Platform.copyMemory(null, values + row * 8L, range, Platform.DOUBLE_ARRAY_OFFSET, count * 8L)
    range
  }

  /** Errors: code 3 for a number that needs more digits; only a foreign writer leaves one. */
  override def getDecimal(row: Int, precision: Int, scale: Int): Decimal = {
    if (isNullAt(row)) {
      null
    } else {
      val low = Platform.getLong(null, values + row * 16L)
      val high = Platform.getLong(null, values + row * 16L + 8)
      if (precision <= Decimal.MAX_LONG_DIGITS) {
        if (high != (low >> 63)) throw MappedVector.tooLong(precision)
        Decimal.createUnsafe(low, precision, scale)
      } else {
        val digits = ByteBuffer.allocate(16).order(ByteOrder.BIG_ENDIAN).putLong(high).putLong(low).array
        try Decimal.apply(new JBigDecimal(new BigInteger(digits), scale), precision, scale)
        catch { case _: ArithmeticException => throw MappedVector.tooLong(precision) }
      }
    }
  }

  /** Points into the mapping: Spark copies what it keeps beyond the batch, as with its own off-heap vectors. */
  override def getUTF8String(row: Int): UTF8String =
    if (isNullAt(row)) null else UTF8String.fromAddress(null, base + start(row), length(row))

  override def getBinary(row: Int): Array[Byte] =
    if (isNullAt(row)) {
      null
    } else {
      val bytes = new Array[Byte](length(row))
      Platform.copyMemory(null, base + start(row), bytes, Platform.BYTE_ARRAY_OFFSET, bytes.length)
      bytes
    }

  override def getArray(row: Int): ColumnarArray = throw new UnsupportedOperationException("arrays")

  override def getMap(row: Int): ColumnarMap = throw new UnsupportedOperationException("maps")

  override def getChild(ordinal: Int): ColumnVector = throw new UnsupportedOperationException("structs")

  private def start(row: Int): Int = Platform.getInt(null, offsets + row * 4L)

  /**
   * Opening a segment checks sizes but not each offset, so a damaged offset is refused here before it leads out of the
   * file.
   */
  private def length(row: Int): Int = {
    val from = start(row)
    val to = Platform.getInt(null, offsets + row * 4L + 4)
    if (from < 0 || to < from || to > dataBytes) {
      throw new SparkGapException(SparkGapException.DATA, s"segment column ${place.column.name}",
        s"offsets within $dataBytes bytes", s"$from to $to", "Do make the table again")
    }
    to - from
  }

  private def bit(address: Long, row: Int): Boolean =
    (Platform.getByte(null, address + (row >> 3)) >> (row & 7) & 1) != 0
}

/** Bigints that stand as ints in this segment, see SegmentWriter.narrow. */
private[spark] final class NarrowedVector(mapping: AnyRef, place: ColumnPlace, first: Int, rows: Int)
    extends MappedVector(mapping, place, first, rows, LongType) {
  override def getLong(row: Int): Long = getInt(row)

  override def getLongs(row: Int, count: Int): Array[Long] = getInts(row, count).map(_.toLong)
}

private[spark] object MappedVector {

  /** The vector for a type, which keeps the segment mapped as long as it lives. */
  def of(mapping: AnyRef, place: ColumnPlace, first: Int, rows: Int, dataType: DataType): ColumnVector =
    if (place.column.`type`.isNested) new NestedVector(mapping, place, first, rows, dataType)
    else if (dataType == LongType && place.column.`type`.kind == Kind.INT)
      new NarrowedVector(mapping, place, first, rows)
    else new MappedVector(mapping, place, first, rows, dataType)

  private def tooLong(precision: Int) =
    new SparkGapException(SparkGapException.DATA, "a decimal column of the store",
      s"numbers of at most $precision digits", "a longer one", "Do write the table again")
}
