// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.formats

import java.nio.ByteBuffer

import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.ColumnVector
import org.sparkgap.store.ColumnBuffer

/**
 * A type whose values stand in files as little-endian bytes of one width, booleans as a byte each; with their ways from
 * a vector into bytes and from bytes into a column.
 *
 * @param npy
 *   NumPy's name of it
 */
private[spark] sealed abstract class NumberType(val dataType: DataType, val width: Int, val npy: String) {
  def isInteger: Boolean = npy.charAt(1) == 'i'

  def put(from: ColumnVector, row: Int, to: ByteBuffer): Unit

  def append(from: ByteBuffer, to: ColumnBuffer): Unit

  /** Many at once; the same as `put` for each. */
  def putRange(from: ColumnVector, first: Int, count: Int, to: ByteBuffer): Unit =
    (first until first + count).foreach(put(from, _, to))

  def appendRange(from: ByteBuffer, count: Int, to: ColumnBuffer): Unit = (0 until count).foreach(_ => append(from, to))
}

private[spark] object NumberType {
  val Words = "booleans, integers, floats and doubles"

  private val All: Seq[NumberType] = Seq(
    new NumberType(BooleanType, 1, "|b1") {
      override def put(from: ColumnVector, row: Int, to: ByteBuffer): Unit =
        to.put((if (from.getBoolean(row)) 1 else 0).toByte)
      override def append(from: ByteBuffer, to: ColumnBuffer): Unit = to.appendBoolean(from.get() != 0)
    },
    new NumberType(ByteType, 1, "|i1") {
      override def put(from: ColumnVector, row: Int, to: ByteBuffer): Unit = to.put(from.getByte(row))
      override def append(from: ByteBuffer, to: ColumnBuffer): Unit = to.appendByte(from.get())
    },
    new NumberType(ShortType, 2, "<i2") {
      override def put(from: ColumnVector, row: Int, to: ByteBuffer): Unit = to.putShort(from.getShort(row))
      override def append(from: ByteBuffer, to: ColumnBuffer): Unit = to.appendShort(from.getShort())
    },
    new NumberType(IntegerType, 4, "<i4") {
      override def put(from: ColumnVector, row: Int, to: ByteBuffer): Unit = to.putInt(from.getInt(row))
      override def append(from: ByteBuffer, to: ColumnBuffer): Unit = to.appendInt(from.getInt())
    },
    new NumberType(LongType, 8, "<i8") {
      override def put(from: ColumnVector, row: Int, to: ByteBuffer): Unit = to.putLong(from.getLong(row))
      override def append(from: ByteBuffer, to: ColumnBuffer): Unit = to.appendLong(from.getLong())

      override def putRange(from: ColumnVector, first: Int, count: Int, to: ByteBuffer): Unit = {
        to.asLongBuffer.put(from.getLongs(first, count))
        to.position(to.position() + count * width)
      }

      override def appendRange(from: ByteBuffer, count: Int, to: ColumnBuffer): Unit = {
        val values = new Array[Long](count)
        from.asLongBuffer.get(values)
        from.position(from.position() + count * width)
        to.appendLongs(values, 0, count)
      }
    },
    new NumberType(FloatType, 4, "<f4") {
      override def put(from: ColumnVector, row: Int, to: ByteBuffer): Unit = to.putFloat(from.getFloat(row))
      override def append(from: ByteBuffer, to: ColumnBuffer): Unit = to.appendFloat(from.getFloat())
    },
    new NumberType(DoubleType, 8, "<f8") {
      override def put(from: ColumnVector, row: Int, to: ByteBuffer): Unit = to.putDouble(from.getDouble(row))
      override def append(from: ByteBuffer, to: ColumnBuffer): Unit = to.appendDouble(from.getDouble())

      override def putRange(from: ColumnVector, first: Int, count: Int, to: ByteBuffer): Unit = {
        to.asDoubleBuffer.put(from.getDoubles(first, count))
        to.position(to.position() + count * width)
      }

      override def appendRange(from: ByteBuffer, count: Int, to: ColumnBuffer): Unit = {
        val values = new Array[Double](count)
        from.asDoubleBuffer.get(values)
        from.position(from.position() + count * width)
        to.appendDoubles(values, 0, count)
      }
    }
  )

  def find(dataType: DataType): Option[NumberType] = All.find(_.dataType == dataType)

  def named(npy: String): Option[NumberType] = All.find(_.npy == npy)
}
