// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.formats

import java.io.InputStream
import java.nio.file.{Files, Path}
import java.util.Arrays

/** The fields of a text file, line by line. Subclasses define what a field is. Holds one line at a time. */
private[spark] abstract class LineFields(path: Path) extends AutoCloseable {
  private val in: InputStream = Files.newInputStream(path)
  private val buffer = new Array[Byte](1 << 18)
  private var at = 0
  private var filled = 0
  private var text = new Array[Byte](1 << 10)
  private var size = 0
  private var ends = new Array[Int](16)
  private var quoted = new Array[Boolean](16)
  protected var nextLine = 1L

  /** Where the current fields began, from 1. */
  var line = 0L

  /** How many there are. */
  var count = 0

  /** What was expected of the current line and what was found, if the line does not have the file's form at all. */
  var fault: Option[(String, String)] = None

  /** Whether there is one more line. */
  def next(): Boolean

  /** Nothing between two separators, not even quotes. */
  def isAbsent(i: Int): Boolean = length(i) == 0 && !quoted(i)

  def length(i: Int): Int = ends(i) - from(i)

  /** UTF-8, from the array's begin; valid until the next call. */
  def bytes(i: Int): Array[Byte] = if (from(i) == 0) text else Arrays.copyOfRange(text, from(i), ends(i))

  def word(i: Int): String = new String(text, from(i), length(i), "UTF-8")

  override def close(): Unit = in.close()

  private def from(i: Int): Int = if (i == 0) 0 else ends(i - 1)

  /** A line begins, without fields. */
  protected def begin(): Unit = {
    line = nextLine
    count = 0
    size = 0
  }

  /** A field ends with what was appended since the last one. */
  protected def end(hadQuotes: Boolean): Unit = {
    if (count == ends.length) {
      ends = Arrays.copyOf(ends, 2 * count)
      quoted = Arrays.copyOf(quoted, 2 * count)
    }
    ends(count) = size
    quoted(count) = hadQuotes
    count += 1
  }

  protected def append(byte: Int): Unit = {
    if (size == text.length) text = Arrays.copyOf(text, math.min(2L * size, Int.MaxValue - 64L).toInt)
    text(size) = byte.toByte
    size += 1
  }

  protected def peek(): Int = if (at < filled || fill()) buffer(at) & 0xff else -1

  protected def read(): Int =
    if (at < filled || fill()) {
      at += 1
      buffer(at - 1) & 0xff
    } else {
      -1
    }

  private def fill(): Boolean = {
    at = 0
    filled = math.max(0, in.read(buffer))
    filled > 0
  }
}
