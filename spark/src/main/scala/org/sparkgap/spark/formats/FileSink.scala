// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.formats

import java.nio.{ByteBuffer, ByteOrder}
import java.nio.channels.FileChannel
import java.nio.file.{Path, StandardOpenOption}

/** A new file that is written from its begin to its end through one buffer. Errors: IOException. */
private[spark] final class FileSink(path: Path) extends AutoCloseable {
  private val channel = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)
  private val buffer = ByteBuffer.allocate(FileSink.BufferBytes).order(ByteOrder.LITTLE_ENDIAN)
  private var flushed = 0L

  def bytes: Long = flushed + buffer.position()

  /** A little-endian buffer that takes `count` bytes, at most BufferBytes, at its position. */
  def room(count: Int): ByteBuffer = {
    if (buffer.remaining() < count) flush()
    buffer
  }

  def put(byte: Int): Unit = room(1).put(byte.toByte)

  def put(from: Array[Byte]): Unit = put(from, 0, from.length)

  def put(from: Array[Byte], start: Int, count: Int): Unit = {
    var done = 0
    while (done < count) {
      val part = math.min(count - done, FileSink.BufferBytes)
      room(part).put(from, start + done, part)
      done += part
    }
  }

  override def close(): Unit =
    try flush()
    finally channel.close()

  private def flush(): Unit = {
    buffer.flip()
    flushed += buffer.remaining()
    while (buffer.hasRemaining) channel.write(buffer)
    buffer.clear()
  }
}

private[spark] object FileSink {
  val BufferBytes: Int = 1 << 18
}
