// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.formats

import java.io.EOFException
import java.nio.{ByteBuffer, ByteOrder}
import java.nio.channels.FileChannel
import java.nio.charset.StandardCharsets.{ISO_8859_1, UTF_8}

/** The head of a .npy file (NumPy's format 1.0), which describes the bytes after it. One column makes one dimension. */
private[spark] final case class NpyHeader(number: NumberType, byColumns: Boolean, rows: Long, columns: Int) {

  /** Padded so that the values begin at a multiple of 64. */
  def bytes: Array[Byte] = {
    val shape = if (columns == 1) s"($rows,)" else s"($rows, $columns)"
    val words = s"{'descr': '${number.npy}', 'fortran_order': ${if (byColumns) "True" else "False"}, 'shape': $shape, }"
    val all = (NpyHeader.Magic.length + 4 + words.length + 1 + 63) / 64 * 64
    val padded = words.padTo(all - NpyHeader.Magic.length - 5, ' ') + "\n"
    ByteBuffer.allocate(all).order(ByteOrder.LITTLE_ENDIAN).put(NpyHeader.Magic).put(1.toByte).put(0.toByte).putShort(
      padded.length.toShort)
      .put(padded.getBytes(ISO_8859_1)).array
  }
}

private[spark] object NpyHeader {
  private val Magic = Array(0x93.toByte, 'N'.toByte, 'U'.toByte, 'M'.toByte, 'P'.toByte, 'Y'.toByte)
  private val MostBytes = 1 << 20
  private val Words =
    """\{\s*'descr':\s*'([^']*)',\s*'fortran_order':\s*(True|False),\s*'shape':\s*\(([0-9, ]*)\),?\s*\}\s*""".r

  /**
   * The header at the begin of the file, and where the values begin; or what was found instead of a header that we
   * read.
   */
  def read(channel: FileChannel): Either[String, (NpyHeader, Long)] =
    try {
      val first = part(channel, 0, Magic.length + 2)
      val version = first.get(Magic.length)
      if (!Magic.indices.forall(i => first.get(i) == Magic(i))) {
        Left("a file that does not begin as .npy files do")
      } else {
        val wide = if (version == 1) 2 else 4
        val length = part(channel, Magic.length + 2, wide)
        val count = if (wide == 2) length.getShort(0) & 0xffff else length.getInt(0)
        if (version > 3 || count < 0 || count > MostBytes) Left(s"a .npy file of version $version")
        else
          parse(UTF_8.decode(part(channel, Magic.length + 2 + wide, count)).toString, Magic.length + 2L + wide + count)
      }
    } catch {
      case _: EOFException => Left("a file that ends before its values begin")
    }

  private def parse(words: String, end: Long): Either[String, (NpyHeader, Long)] = words match {
    case Words(descr, fortran, shape) =>
      val sizes = shape.split(",").map(_.trim).filter(_.nonEmpty).map(_.toLongOption.getOrElse(-1L))
      NumberType.named(descr) match {
        case None => Left(s"dtype '$descr'")
        case _
            if sizes.length != 1 && sizes.length != 2 || sizes.contains(-1L) || sizes.length == 2 && sizes(
              1) > Int.MaxValue => Left(s"an array of shape ($shape)")
        case Some(number) =>
          Right((NpyHeader(number, fortran == "True", sizes(0), if (sizes.length == 1) 1 else sizes(1).toInt), end))
      }
    case other => Left(s"the head ${other.trim.take(100)}")
  }

  private def part(channel: FileChannel, from: Long, count: Int): ByteBuffer = {
    val bytes = ByteBuffer.allocate(count).order(ByteOrder.LITTLE_ENDIAN)
    while (bytes.hasRemaining) {
      if (channel.read(bytes, from + bytes.position()) < 0) throw new EOFException
    }
    bytes.flip()
  }
}
