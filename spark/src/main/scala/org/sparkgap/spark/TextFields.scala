// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark

import java.io.InputStream
import java.nio.file.{Files, Path}
import java.util.Arrays

/** The fields of a separated text file, line by line as RFC 4180 has them: quotes around, doubled within. Holds one line at a time. */
private[spark] final class TextFields(path: Path, separator: Char) extends AutoCloseable {
  private val in: InputStream = Files.newInputStream(path)
  private val buffer = new Array[Byte](1 << 18)
  private var at = 0
  private var filled = 0
  private var text = new Array[Byte](1 << 10)
  private var size = 0
  private var ends = new Array[Int](16)
  private var quoted = new Array[Boolean](16)
  private var nextLine = 1L

  /** Where the current fields began, from 1. */
  var line = 0L
  /** How many there are. */
  var count = 0
  /** Whether the file ended within quotes. */
  var unclosed = false

  /** Whether there is one more line. */
  def next(): Boolean = {
    line = nextLine
    count = 0
    size = 0
    var byte = read()
    if (byte < 0) return false
    var first = true // of its field
    var inside = false // of quotes
    var hadQuotes = false
    while (byte >= 0 && (inside || byte != '\n')) {
      if (inside) {
        if (byte != '"') append(byte)
        else if (peek() == '"') append(read())
        else inside = false
        if (byte == '\n') nextLine += 1
      } else if (byte == separator) {
        end(hadQuotes)
        hadQuotes = false
        first = true
      } else if (byte == '"' && first) {
        inside = true
        hadQuotes = true
      } else if (byte != '\r' || peek() != '\n') {
        append(byte)
      }
      if (byte != separator || inside) first = false
      byte = read()
    }
    unclosed = inside
    nextLine += 1
    end(hadQuotes)
    true
  }

  /** Nothing between two separators, not even quotes. */
  def isAbsent(i: Int): Boolean = length(i) == 0 && !quoted(i)

  def length(i: Int): Int = ends(i) - begin(i)

  /** UTF-8, from the array's begin; valid until the next call. */
  def bytes(i: Int): Array[Byte] = if (begin(i) == 0) text else Arrays.copyOfRange(text, begin(i), ends(i))

  def word(i: Int): String = new String(text, begin(i), length(i), "UTF-8")

  override def close(): Unit = in.close()

  private def begin(i: Int): Int = if (i == 0) 0 else ends(i - 1)

  private def end(hadQuotes: Boolean): Unit = {
    if (count == ends.length) {
      ends = Arrays.copyOf(ends, 2 * count)
      quoted = Arrays.copyOf(quoted, 2 * count)
    }
    ends(count) = size
    quoted(count) = hadQuotes
    count += 1
  }

  private def append(byte: Int): Unit = {
    if (size == text.length) text = Arrays.copyOf(text, math.min(2L * size, Int.MaxValue - 64L).toInt)
    text(size) = byte.toByte
    size += 1
  }

  private def peek(): Int = if (at < filled || fill()) buffer(at) & 0xFF else -1

  private def read(): Int =
    if (at < filled || fill()) {
      at += 1
      buffer(at - 1) & 0xFF
    } else {
      -1
    }

  private def fill(): Boolean = {
    at = 0
    filled = math.max(0, in.read(buffer))
    filled > 0
  }
}
