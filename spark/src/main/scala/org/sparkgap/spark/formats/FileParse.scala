// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.formats

import java.nio.{ByteBuffer, ByteOrder}
import java.nio.channels.FileChannel
import java.nio.file.{Files, Path}

import scala.util.Using

import org.apache.spark.sql.types.{StructField, StructType}
import org.sparkgap.store.{SegmentWriter, SparkGapException}

/**
 * Reads files that a program wrote into a segment writer, in pieces, never a whole file at once.
 *
 * @param output
 *   the output's name, for errors Errors of all: code 3 that names the file, and where it can the line and the column;
 *   IOException.
 */
private[spark] final class FileParse(output: String, schema: StructType, writer: SegmentWriter) {
  def read(file: Path, format: FileFormat): Unit = format match {
    case FileFormat.Text(separator, header) =>
      Using.resource(new TextFields(file, separator))(readText(file, _, header, separator.toString))
    case FileFormat.Blank(header) => Using.resource(new WordFields(file))(readText(file, _, header, " "))
    case FileFormat.Raw(byRows) => readRaw(file, byRows)
    case FileFormat.Npy(_) => readNpy(file)
    case market: FileFormat.MatrixMarket =>
      new MatrixMarketParse(schema, writer, refuse(file, _, _, _)).read(file, market.fromZero)
    case FileFormat.Arrow => throw new SparkGapException(SparkGapException.BUG, "files", "a format other than arrow",
        "arrow", "Do report this")
  }

  private def readText(file: Path, fields: LineFields, header: Boolean, separator: String): Unit = {
    val readers = schema.fields.zipWithIndex.map { case (field, i) =>
      CellText.reader(field.dataType, writer.column(i))
    }
    if (header && fields.next()) {
      val found = (0 until fields.count).map(fields.word)
      if (found != schema.fieldNames.toSeq) refuse(file, s" line ${fields.line}",
        s"the header ${schema.fieldNames.mkString(separator)}", found.mkString(separator).take(200))
    }
    while (fields.next()) {
      val isBlank = fields.count == 1 && fields.isAbsent(0)
      for ((expected, found) <- fields.fault) refuse(file, s" line ${fields.line}", expected, found)
      if (!isBlank || schema.length == 1) {
        if (fields.count != schema.length)
          refuse(file, s" line ${fields.line}", columns(schema.length), columns(fields.count))
        var i = 0
        while (i < readers.length) {
          val field = schema(i)
          if (fields.isAbsent(i)) {
            if (!field.nullable) refuse(file, s" line ${fields.line}, column ${field.name}",
              s"${words(field)} that is not null", "nothing")
            writer.column(i).appendNull()
          } else if (!readers(i)(fields.bytes(i), fields.length(i))) {
            refuse(file, s" line ${fields.line}, column ${field.name}", words(field), s"'${fields.word(i).take(60)}'")
          }
          i += 1
        }
        writer.advance(1)
      }
    }
  }

  private def readRaw(file: Path, byRows: Boolean): Unit = Using.resource(FileChannel.open(file)) { channel =>
    val rowBytes = numbers.map(_.width).sum
    if (channel.size % rowBytes != 0) refuse(file, "",
      s"a multiple of $rowBytes bytes, those of a row of ${columns(schema.length)}", s"${channel.size} bytes")
    val rows = channel.size / rowBytes
    if (byRows) readRows(file, channel, 0, rows) else readColumns(file, channel, 0, rows)
  }

  private def readNpy(file: Path): Unit = Using.resource(FileChannel.open(file)) { channel =>
    val (head, begin) = NpyHeader.read(channel).fold(
      found => refuse(file, "", s"a .npy file of one or two dimensions and dtype ${numbers.head.npy}", found), identity)
    if (head.number.npy != numbers.head.npy) {
      refuse(file, "", s"dtype ${numbers.head.npy}, for ${words(schema.head)}", s"dtype ${head.number.npy}")
    }
    if (head.columns != schema.length) refuse(file, "", columns(schema.length), columns(head.columns))
    val needed = BigInt(head.rows) * head.columns * head.number.width
    if (needed > channel.size - begin)
      refuse(file, "", s"$needed bytes of values, as its head says", s"${channel.size - begin} bytes")
    if (head.byColumns) readColumns(file, channel, begin, head.rows) else readRows(file, channel, begin, head.rows)
  }

  private def readColumns(file: Path, channel: FileChannel, begin: Long, rows: Long): Unit = {
    var from = 0L
    while (from < rows) {
      val count = math.min(writer.room, rows - from).toInt
      var base = begin
      for ((number, i) <- numbers.zipWithIndex) {
        number.appendRange(part(file, channel, base + from * number.width, count * number.width), count,
          writer.column(i))
        base += rows * number.width
      }
      writer.advance(count)
      from += count
    }
  }

  private def readRows(file: Path, channel: FileChannel, begin: Long, rows: Long): Unit = {
    val rowBytes = numbers.map(_.width).sum
    val most = math.max(1, FileParse.PartBytes / rowBytes)
    var from = 0L
    while (from < rows) {
      val count = math.min(math.min(writer.room, most), rows - from).toInt
      val bytes = part(file, channel, begin + from * rowBytes, count * rowBytes)
      var row = 0
      while (row < count) {
        var i = 0
        while (i < numbers.length) {
          numbers(i).append(bytes, writer.column(i))
          i += 1
        }
        row += 1
      }
      writer.advance(count)
      from += count
    }
  }

  private lazy val numbers: Array[NumberType] = schema.fields.map(field => NumberType.find(field.dataType).get)

  private var scratch = ByteBuffer.allocate(0)

  private def part(file: Path, channel: FileChannel, from: Long, count: Int): ByteBuffer = {
    if (scratch.capacity < count) scratch = ByteBuffer.allocate(count).order(ByteOrder.LITTLE_ENDIAN)
    scratch.clear().limit(count)
    while (scratch.hasRemaining) {
      if (channel.read(scratch, from + scratch.position()) < 0)
        refuse(file, "", "a file that stays as it is", "its end too early")
    }
    scratch.flip()
  }

  private def refuse(file: Path, place: String, expected: String, found: String): Nothing =
    throw new SparkGapException(SparkGapException.DATA, s"outputs.$output (${file.getFileName}$place)", expected, found,
      "Do correct the program, or the schema or format of the output")

  private def columns(n: Int): String = if (n == 1) "1 column" else s"$n columns"

  private def words(field: StructField): String = s"${field.dataType.simpleString} for ${field.name}"
}

private[spark] object FileParse {
  private val PartBytes = 1 << 20

  /**
   * The files of an output: the one file, or all files of a folder by name, without those that begin with a dot. None
   * if there is nothing.
   */
  def files(place: Path): Seq[Path] =
    if (Files.isDirectory(place)) ProgramFolder.list(place).filter(Files.isRegularFile(_))
    else if (Files.isRegularFile(place)) Seq(place)
    else Seq.empty
}
