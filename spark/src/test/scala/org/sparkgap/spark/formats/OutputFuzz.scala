// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.formats

import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.ISO_8859_1
import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.spark.sql.types.StructType
import org.sparkgap.spark.columns.Types
import org.sparkgap.store.{SegmentWriter, SparkGapException}

/**
 * A fuzz target (make fuzz): a file that a program wrote, with some of its words and letters changed, is refused as bad
 * data, or becomes a table.
 */
object OutputFuzz {
  private final case class Seed(format: String, ddl: String, bytes: Array[Byte])

  private val Folder = Files.createTempDirectory("sparkgap-fuzz-")
  private val Segments = Files.createDirectory(Folder.resolve("segments"))
  private val Table = "b boolean, i int, l bigint, f float, d double, e decimal(12,3), day date, at timestamp, w string"
  private val Lines = Seq("true,1,-9000000000,1.5,-2.5e-3,12.340,2026-02-03,2026-02-03T04:05:06Z,plain",
    "0,,7,nan,-inf,,,,\"quo\"\"ted, with\nlines\"")
  private val Words = "1 2 3.5\n # a comment\n\t4  -5 6e1 \n"
  private val Seeds = Seq(
    Seed("csv", Table, text(Lines.mkString("", "\n", "\n"))),
    Seed("tsv", Table, text(Lines.map(_.replace(',', '\t')).mkString("\r\n"))),
    Seed("csv+header", "a int, w string", text("a,w\n1,x\n2,\"\"\n")),
    Seed("text", "i int, j int, v double", text(Words)),
    Seed("text+header", "i int, w string", text("i w\n1 a\n")),
    Seed("mtx", "i int, j int, v double",
      text("%%MatrixMarket matrix coordinate real general\n% c\n3 2 2\n1 2 5\n3 1 -1e3\n")),
    Seed("mtx+zero", "i bigint, j bigint, v int",
      text("%%MatrixMarket matrix coordinate integer skew-symmetric\n3 3 1\n3 1 5\n")),
    Seed("mtx", "i int, j int, v float", text("%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n")),
    Seed("npy", "x double, y double", npy("<f8", "False", "2, 2", 32)),
    Seed("npy+columns", "x int, y int", npy("<i4", "True", "3, 2", 24)),
    Seed("raw", "x float, y bigint", new Array[Byte](24)),
    Seed("raw+rows", "x boolean, y smallint", new Array[Byte](6))
  )

  /** What numbers, lengths and lines go wrong at. */
  private val Tokens = Seq(
    "",
    "\"",
    "\"\"",
    "\n",
    "\r\n",
    "\r",
    ",",
    "\t",
    " ",
    "#",
    "%",
    "-",
    "+",
    ".",
    "e",
    "1e999",
    "1e999999999",
    "-0",
    "NaN",
    "0x1p3",
    "2147483648",
    "9223372036854775807",
    "9223372036854775808",
    "4294967296",
    "3000000000",
    "null",
    "\u0000",
    "\u00ff",
    "\u00a0",
    "symmetric",
    "array",
    "pattern",
    "'",
    "(",
    ",)",
    "True"
  ).map(text)
  private var files = 0

  def fuzzerTestOneInput(program: Array[Byte]): Unit = if (program.nonEmpty) {
    val seed = Seeds((program(0) & 0xff) % Seeds.size)
    val file = Folder.resolve("output") // it stays, to find what ended the JVM
    Files.write(file, changed(seed.bytes, ByteBuffer.wrap(program, 1, program.length - 1)))
    val format = FileFormat.of("formats.o", seed.format)
    val schema = StructType.fromDDL(seed.ddl)
    try parse(file, format, schema)
    catch { case e: SparkGapException if e.code == SparkGapException.DATA => () }
  }

  /**
   * Each change is of four bytes: where (2), how (a letter replaced, taken away or put in front, or the word there
   * replaced), and by what.
   */
  private def changed(bytes: Array[Byte], program: ByteBuffer): Array[Byte] = {
    var now = bytes
    while (program.remaining >= 4) {
      val at = if (now.isEmpty) 0 else (program.getShort() & 0xffff) % now.length
      if (now.isEmpty) program.getShort()
      val how = program.get() & 3
      val token = Tokens((program.get() & 0xff) % Tokens.size)
      val end = if (how == 3)
        math.max(at, now.indexWhere(b => !Character.isLetterOrDigit(b) && b != '.' && b != '-', at))
      else math.min(now.length, at + (if (how == 2) 0 else 1))
      now = now.take(at) ++ (if (how == 1) Array.empty[Byte] else token) ++ now.drop(end)
    }
    now
  }

  private def parse(file: Path, format: FileFormat, schema: StructType): Unit = {
    files += 1
    Using.resource(new SegmentWriter(Segments, s"part-$files", "here", Types.columns("outputs.o", schema).asJava,
        1L << 24)) { writer =>
      new FileParse("o", schema, writer).read(file, format)
      writer.finish(true).forEach(info => Files.delete(Path.of(info.path)))
    }
  }

  private def npy(dtype: String, byColumns: String, shape: String, bytes: Int): Array[Byte] = {
    val words = s"{'descr': '$dtype', 'fortran_order': $byColumns, 'shape': ($shape), }\n"
    Array(0x93.toByte) ++ text("NUMPY") ++ Array[Byte](1, 0, words.length.toByte, 0) ++ text(words) ++ new Array[Byte](
      bytes)
  }

  private def text(words: String): Array[Byte] = words.getBytes(ISO_8859_1)
}
