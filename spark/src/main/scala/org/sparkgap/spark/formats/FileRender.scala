// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.formats

import java.nio.file.Path

import scala.util.Using

import org.apache.spark.sql.types.StringType
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}
import org.sparkgap.spark.table.TableRows
import org.sparkgap.store.SparkGapException

/**
 * Tables as files for programs: batch by batch out of mapped segments, so that the heap holds no more than one buffer.
 */
private[spark] object FileRender {
  private val Quote = '"'
  private val RangeRows = 8192

  /** Bytes of the file. Errors: code 3 for a value that the format has no place for; IOException. */
  def write(table: TableRows, format: FileFormat, path: Path): Long = Using.resource(new FileSink(path)) { sink =>
    format match {
      case text: FileFormat.Text => writeText(table, text, sink)
      case FileFormat.Blank(header) => writeWords(table, header, sink)
      case FileFormat.Raw(byRows) => if (byRows) writeByRows(table, sink) else writeByColumns(table, sink)
      case FileFormat.Npy(byColumns) =>
        sink.put(NpyHeader(NumberType.find(table.schema.head.dataType).get, byColumns && table.schema.length > 1,
            table.rows, table.schema.length).bytes)
        if (byColumns) writeByColumns(table, sink) else writeByRows(table, sink)
      case market: FileFormat.MatrixMarket => writeCoordinates(table, market, sink)
      case FileFormat.Arrow => throw new SparkGapException(SparkGapException.BUG, "files", "a format other than arrow",
          "arrow", "Do report this")
    }
    sink.bytes
  }

  private def writeText(table: TableRows, format: FileFormat.Text, sink: FileSink): Unit = {
    val words = table.fields.map(field => CellText.writer(field.dataType))
    def field(word: Array[Byte]): Unit =
      if (word.isEmpty || word.exists(b => b == format.separator || b == Quote || b == '\n' || b == '\r')) {
        sink.put(Quote)
        word.foreach { b =>
          if (b == Quote) sink.put(Quote)
          sink.put(b)
        }
        sink.put(Quote)
      } else {
        sink.put(word)
      }
    if (format.header) {
      for ((name, i) <- table.schema.fieldNames.zipWithIndex) {
        if (i > 0) sink.put(format.separator)
        field(name.getBytes("UTF-8"))
      }
      sink.put('\n')
    }
    table.batches().foreach { batch =>
      var row = 0
      while (row < batch.numRows) {
        var c = 0
        while (c < words.length) {
          if (c > 0) sink.put(format.separator)
          val vector = batch.column(c)
          if (!vector.isNullAt(row)) field(words(c)(vector, row))
          c += 1
        }
        sink.put('\n')
        row += 1
      }
    }
  }

  private def writeWords(table: TableRows, header: Boolean, sink: FileSink): Unit = {
    if (header) sink.put(table.schema.fieldNames.mkString("", " ", "\n").getBytes("UTF-8"))
    val words = table.fields.map(field => CellText.writer(field.dataType))
    val isText = table.fields.map(_.dataType == StringType)
    eachRow(table) { (vectors, row, number) =>
      var c = 0
      while (c < words.length) {
        if (c > 0) sink.put(' ')
        val word = words(c)(vectors(c), row)
        if (isText(c)) BlankText.refused(word, isFirst = c == 0).foreach { case (expected, found) =>
          table.refuse(c, number, expected, found, "Do replace it, or choose csv")
        }
        sink.put(word)
        c += 1
      }
      sink.put('\n')
    }
  }

  private def writeByColumns(table: TableRows, sink: FileSink): Unit = for (c <- table.schema.indices) {
    val number = NumberType.find(table.schema(c).dataType).get
    var before = 0L
    table.batches(Seq(c)).foreach { batch =>
      val vector = batch.column(0)
      table.requireNoNull(vector, c, batch.numRows, before)
      for (from <- 0 until batch.numRows by RangeRows) {
        val count = math.min(RangeRows, batch.numRows - from)
        number.putRange(vector, from, count, sink.room(count * number.width))
      }
      before += batch.numRows
    }
  }

  private def writeByRows(table: TableRows, sink: FileSink): Unit =
    if (table.schema.length == 1) {
      writeByColumns(table, sink)
    } else {
      val numbers = table.fields.map(field => NumberType.find(field.dataType).get)
      eachRow(table) { (vectors, row, _) =>
        var c = 0
        while (c < numbers.length) {
          numbers(c).put(vectors(c), row, sink.room(numbers(c).width))
          c += 1
        }
      }
    }

  /** Two passes, because the head of the file holds the number of rows. */
  private def writeCoordinates(table: TableRows, format: FileFormat.MatrixMarket, sink: FileSink): Unit = {
    val shift = if (format.fromZero) 1L else 0L
    val places = Array.tabulate(2)(c => whole(table, c))
    val sizes = Array(0L, 0L)
    eachRow(table) { (vectors, row, number) =>
      for (c <- 0 to 1) {
        val at = places(c)(vectors(c), row)
        if (at + shift < 1) {
          table.refuse(
            c,
            number,
            if (format.fromZero) "a number of at least 0" else "a number of at least 1",
            at.toString,
            "Do choose mtx for numbers from 1, mtx+zero for numbers from 0"
          )
        }
        sizes(c) = math.max(sizes(c), at + shift)
      }
    }
    val value = table.fields.lift(2).map(field => CellText.writer(field.dataType))
    val kind = table.fields.lift(2).fold("pattern")(field =>
      if (NumberType.find(field.dataType).get.isInteger) "integer" else "real")
    sink.put(
      s"%%MatrixMarket matrix coordinate $kind general\n${sizes(0)} ${sizes(1)} ${table.rows}\n".getBytes("US-ASCII"))
    eachRow(table) { (vectors, row, _) =>
      sink.put(s"${places(0)(vectors(0), row) + shift} ${places(1)(vectors(1), row) + shift}".getBytes("US-ASCII"))
      value.foreach { word =>
        sink.put(' ')
        sink.put(word(vectors(2), row))
      }
      sink.put('\n')
    }
  }

  private def whole(table: TableRows, column: Int): (ColumnVector, Int) => Long =
    NumberType.find(table.schema(column).dataType).get.width match {
      case 1 => (vector, row) => vector.getByte(row).toLong
      case 2 => (vector, row) => vector.getShort(row).toLong
      case 4 => (vector, row) => vector.getInt(row).toLong
      case _ => (vector, row) => vector.getLong(row)
    }

  /** The body gets the vectors, the row among theirs and its number among all, from 0. Errors: code 3 at a null. */
  private def eachRow(table: TableRows)(body: (Array[ColumnVector], Int, Long) => Unit): Unit = {
    var before = 0L
    table.batches().foreach { batch: ColumnarBatch =>
      val vectors = Array.tabulate(batch.numCols)(batch.column)
      vectors.indices.foreach(c => table.requireNoNull(vectors(c), c, batch.numRows, before))
      var row = 0
      while (row < batch.numRows) {
        body(vectors, row, before + row)
        row += 1
      }
      before += batch.numRows
    }
  }
}
