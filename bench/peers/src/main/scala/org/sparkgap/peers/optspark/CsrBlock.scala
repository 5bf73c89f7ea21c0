// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.peers.optspark

import java.nio.{ByteBuffer, ByteOrder}

import com.sun.jna.{Library, Native}

/**
 * Some rows of a sparse matrix of ones, outside the heap: what one task multiplies with a vector in one native call.
 *
 * @param first
 *   the number of its first row
 * @param begins
 *   for each row where its columns begin, and the end of the last one's: 64-bit numbers
 * @param columns
 *   32-bit numbers
 */
private[optspark] final class CsrBlock private (val first: Int, val rows: Int, begins: ByteBuffer,
    columns: ByteBuffer) {
  import CsrBlock._

  def sums(x: Array[Double]): Array[Double] = {
    val (in, out, found) = (direct(8L * x.length), direct(8L * rows), new Array[Double](rows))
    in.asDoubleBuffer().put(x)
    calls.sparkgap_sums(rows, begins, columns, in, out)
    out.asDoubleBuffer().get(found)
    found
  }

  def nearest(x: Array[Int]): Array[Int] = {
    val (in, out, found) = (direct(4L * x.length), direct(4L * rows), new Array[Int](rows))
    in.asIntBuffer().put(x)
    calls.sparkgap_nearest(rows, begins, columns, in, out)
    out.asIntBuffer().get(found)
    found
  }
}

private[optspark] object CsrBlock {
  private lazy val calls: Spmv = {
    val file = Native.extractFromResourcePath("/org/sparkgap/peers/optspark/libspmv.so", getClass.getClassLoader)
    Native.load(file.getPath, classOf[Spmv])
  }

  /** `entries` are (row, column), of these rows alone, in any order. */
  def of(first: Int, rows: Int, entries: Iterator[(Int, Int)]): CsrBlock = {
    val all = entries.toArray
    val next = new Array[Long](rows + 1)
    all.foreach { case (row, _) => next(row - first + 1) += 1 }
    for (row <- 0 until rows) next(row + 1) += next(row)
    val (begins, columns) = (direct(8L * next.length), direct(4L * all.length))
    begins.asLongBuffer().put(next)
    val numbers = columns.asIntBuffer()
    all.foreach { case (row, column) =>
      numbers.put(next(row - first).toInt, column)
      next(row - first) += 1
    }
    new CsrBlock(first, rows, begins, columns)
  }

  private def direct(bytes: Long): ByteBuffer =
    ByteBuffer.allocateDirect(Math.toIntExact(bytes)).order(ByteOrder.nativeOrder())
}

/** `bench/peers/src/main/c/spmv.c`. */
private[optspark] trait Spmv extends Library {
  def sparkgap_sums(rows: Int, begins: ByteBuffer, columns: ByteBuffer, x: ByteBuffer, y: ByteBuffer): Unit
  def sparkgap_nearest(rows: Int, begins: ByteBuffer, columns: ByteBuffer, x: ByteBuffer, y: ByteBuffer): Unit
}
