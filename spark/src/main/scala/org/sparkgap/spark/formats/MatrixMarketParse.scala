// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.formats

import java.io.BufferedReader
import java.nio.charset.StandardCharsets.{ISO_8859_1, US_ASCII}
import java.nio.file.{Files, Path}
import java.util.StringTokenizer

import scala.util.{Try, Using}

import org.apache.spark.sql.types.StructType
import org.sparkgap.store.SegmentWriter

/**
 * Matrix Market files as rows of (row, column) or (row, column, value), an entry of a dense file each as well.
 *
 * @param refuse
 *   throws what is wrong: place behind the file's name, expected, found
 */
private[spark] final class MatrixMarketParse(schema: StructType, writer: SegmentWriter,
    refuse: (String, String, String) => Nothing) {
  private val readers = schema.fields.zipWithIndex.map { case (field, i) =>
    CellText.reader(field.dataType, writer.column(i))
  }
  private var number = 0L

  def read(file: Path, fromZero: Boolean): Unit = Using.resource(Files.newBufferedReader(file, ISO_8859_1)) { in =>
    val head = line(in).map(_.toLowerCase.split("\\s+").toSeq).getOrElse(Seq.empty)
    val (layout, kind, symmetry) = head match {
      case Seq("%%matrixmarket", "matrix", layout @ ("coordinate" | "array"),
            kind @ ("real" | "double" | "integer" | "pattern"), symmetry @ ("general" | "symmetric" | "skew-symmetric"))
          if layout == "coordinate" || kind != "pattern" && symmetry == "general" => (layout, kind, symmetry)
      case other => refuse(
          " line 1",
          "%%MatrixMarket matrix, then coordinate or array, real, integer or pattern, and general or (skew-)symmetric",
          s"'${other.mkString(" ").take(100)}'"
        )
    }
    if (kind != "pattern" && schema.length == 2) refuse(" line 1", "pattern, for two columns", kind)
    val sizes =
      data(in).getOrElse(refuse("", "a line with its sizes", "the end of the file")).trim.split("\\s+").map(word =>
        Try(word.toLong).getOrElse(-1L))
    if (sizes.length != (if (layout == "array") 2 else 3) || sizes.exists(_ < 0))
      refuse(s" line $number", "the sizes: rows, columns and, where sparse, entries", sizes.mkString(" "))
    if (symmetry != "general" && sizes(0) != sizes(1))
      refuse(s" line $number", s"as many rows as columns, for $symmetry", s"${sizes(0)} and ${sizes(1)}")
    val shift = if (fromZero) 1L else 0L
    val entries = if (layout == "array") BigInt(sizes(0)) * sizes(1) else BigInt(sizes(2))
    var entry = 0L
    if (layout == "array") {
      while (BigInt(entry) < entries) {
        put(entry % sizes(0) + 1 - shift, entry / sizes(0) + 1 - shift, data(in).getOrElse(tooFew(entries)))
        entry += 1
      }
    } else {
      while (entry < sizes(2)) {
        entry += 1
        val words = new StringTokenizer(data(in).getOrElse(tooFew(entries)))
        if (words.countTokens != (if (kind == "pattern") 2 else 3)) refuse(s" line $number",
          if (kind == "pattern") "row and column" else "row, column and value", s"${words.countTokens} words")
        val row = place(words.nextToken(), sizes(0), "row")
        val column = place(words.nextToken(), sizes(1), "column")
        val value = if (kind == "pattern") "1" else words.nextToken()
        put(row - shift, column - shift, value)
        if (symmetry != "general" && row != column)
          put(column - shift, row - shift, if (symmetry == "symmetric") value else negative(value))
      }
    }
    data(in).foreach(_ => refuse(s" line $number", "no more entries than its sizes say", "one more"))
  }

  private def put(row: Long, column: Long, value: String): Unit = {
    append(0, row.toString)
    append(1, column.toString)
    if (schema.length == 3) append(2, value)
    writer.advance(1)
  }

  private def append(i: Int, word: String): Unit = {
    val bytes = word.getBytes(US_ASCII)
    if (!readers(i)(bytes, bytes.length))
      refuse(s" line $number, column ${schema(i).name}", schema(i).dataType.simpleString, s"'${word.take(60)}'")
  }

  private def place(word: String, most: Long, what: String): Long = {
    val n = Try(word.toLong).getOrElse(0L)
    if (n >= 1 && n <= most) n else refuse(s" line $number", s"a $what from 1 to $most", s"'${word.take(60)}'")
  }

  private def negative(word: String): String = if (word.startsWith("-")) word.drop(1) else s"-${word.stripPrefix("+")}"

  private def tooFew(expected: BigInt): Nothing = refuse("", s"$expected entries", "the end of the file before")

  /** The next line that is no comment and not blank. */
  private def data(in: BufferedReader): Option[String] = {
    var next = line(in)
    while (next.exists(text => text.isBlank || text.startsWith("%"))) next = line(in)
    next
  }

  private def line(in: BufferedReader): Option[String] = {
    number += 1
    Option(in.readLine())
  }
}
