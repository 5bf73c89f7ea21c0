// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.segments

import java.io.IOException
import java.nio.ByteBuffer
import java.nio.channels.FileChannel
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path, StandardCopyOption, StandardOpenOption}
import java.util.HexFormat
import java.util.concurrent.{CompletableFuture, ExecutionException, TimeUnit, TimeoutException}
import java.util.zip.CRC32C

import org.apache.spark.{SparkEnv, TaskContext}
import org.apache.spark.network.client.{StreamCallback, TransportClient}
import org.apache.spark.network.server.NoOpRpcHandler

/** Fetches segments from SegmentServers, each over a connection of its own. */
private[spark] final class SegmentClient(env: SparkEnv) extends AutoCloseable {
  import SegmentClient._

  private val settings = SegmentTransport.settings(env)
  private val context = SegmentTransport.context(settings, new NoOpRpcHandler)
  private val factory = context.createClientFactory(SegmentTransport.clientBootstraps(env, settings))

  /**
   * Writes the file `target`, completely or not at all.
   *
   * Errors: IOException if the server cannot be reached, refuses, stops sending, or sends other bytes than expected;
   * InterruptedException if the task must end.
   *
   * @param crc32c
   *   of the whole file, eight hex digits; null or empty if unknown
   */
  def fetch(
      host: String, port: Int, token: Array[Byte], path: String, bytes: Long, crc32c: String, target: Path): Unit = {
    val part = target.resolveSibling(s"${target.getFileName}.part")
    val client = factory.createUnmanagedClient(host, port)
    try {
      val name = UTF_8.decode(ask(client, ByteBuffer.wrap(token ++ path.getBytes(UTF_8)))).toString
      Files.deleteIfExists(part)
      val channel = FileChannel.open(part, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)
      val arriving = new Arriving(channel)
      try {
        client.stream(name, arriving)
        arriving.await()
      } finally {
        client.close()
        arriving.stop()
      }
      val sum = HexFormat.of().toHexDigits(arriving.checksum.getValue.toInt)
      if (arriving.bytes != bytes || (crc32c != null && crc32c.nonEmpty && crc32c != sum)) {
        throw new IOException(s"${arriving.bytes} bytes with crc32c $sum came where $bytes with $crc32c were expected")
      }
      Files.move(part, target, StandardCopyOption.ATOMIC_MOVE)
    } finally {
      client.close()
      Files.deleteIfExists(part)
    }
  }

  override def close(): Unit = {
    factory.close()
    context.close()
  }

  private def ask(client: TransportClient, request: ByteBuffer): ByteBuffer =
    try client.sendRpcSync(request, SegmentTransport.IdleMillis)
    // The library wraps the error, and adds the stack trace of the other side.
    catch {
      case e: RuntimeException =>
        throw new IOException(firstLine(Iterator.iterate[Throwable](e)(_.getCause).takeWhile(_ != null).toSeq.last), e)
    }
}

private[spark] object SegmentClient {
  private val LookMillis = 50L

  def firstLine(e: Throwable): String = String.valueOf(e.getMessage).linesIterator.nextOption().getOrElse(e.toString)

  /** Called on the library's thread, one call at a time. */
  private final class Arriving(channel: FileChannel) extends StreamCallback {
    val checksum = new CRC32C
    @volatile var bytes = 0L
    @volatile private var heard = System.nanoTime()
    private val done = new CompletableFuture[Unit]

    override def onData(name: String, data: ByteBuffer): Unit = channel.synchronized {
      if (!channel.isOpen) throw new IOException("nobody waits for it any more")
      heard = System.nanoTime()
      checksum.update(data.duplicate())
      bytes += data.remaining
      while (data.hasRemaining) channel.write(data)
    }

    override def onComplete(name: String): Unit = done.complete(())

    override def onFailure(name: String, e: Throwable): Unit = done.completeExceptionally(e)

    def await(): Unit = {
      while (true) {
        if (Option(TaskContext.get()).exists(_.isInterrupted())) throw new InterruptedException("the task was killed")
        try return done.get(LookMillis, TimeUnit.MILLISECONDS)
        catch {
          case e: ExecutionException => throw new IOException(firstLine(e.getCause), e.getCause)
          case _: TimeoutException if System.nanoTime() - heard > SegmentTransport.IdleMillis * 1000000L =>
            throw new IOException(s"nothing came for ${SegmentTransport.IdleMillis / 1000} s")
          case _: TimeoutException =>
        }
      }
    }

    def stop(): Unit = channel.synchronized(channel.close())
  }
}
