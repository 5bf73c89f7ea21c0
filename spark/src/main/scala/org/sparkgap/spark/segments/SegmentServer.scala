// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.segments

import java.io.IOException
import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, InvalidPathException, Path, Paths}
import java.security.{MessageDigest, SecureRandom}
import java.util.HexFormat
import java.util.concurrent.ConcurrentHashMap

import org.apache.spark.SparkEnv
import org.apache.spark.network.buffer.{FileSegmentManagedBuffer, ManagedBuffer}
import org.apache.spark.network.client.{RpcResponseCallback, TransportClient}
import org.apache.spark.network.server.{RpcHandler, StreamManager}

/**
 * Serves the segments of this process's homes to the application's other processes, by Spark's network library: the
 * kernel copies the file into the connection.
 *
 * A client sends the application's token with the path, and gets a name that is good for one read. Any other path is
 * refused with the same message, so a stranger does not learn which files exist.
 *
 * @param address
 *   of this process, to which the server is bound; a free port is taken
 * @param token
 *   128 random bits
 * @param homes
 *   the folders below which files may be asked for, at the time of asking
 * @param published
 *   those of published tables, likewise
 */
private[spark] final class SegmentServer(
    env: SparkEnv, address: String, token: Array[Byte], homes: () => Seq[Path],
    published: () => Seq[Path] = () => Seq.empty) extends AutoCloseable {
  import SegmentServer._

  private case class Asked(client: TransportClient, file: Path)

  private val random = new SecureRandom
  private val asked = new ConcurrentHashMap[String, Asked]
  private val settings = SegmentTransport.settings(env)

  private val streams = new StreamManager {
    override def getChunk(stream: Long, chunk: Int): ManagedBuffer = throw new UnsupportedOperationException(Refusal)

    override def openStream(name: String): ManagedBuffer = {
      val found = asked.remove(name)
      if (found == null) throw new IllegalArgumentException(Refusal)
      new FileSegmentManagedBuffer(settings, found.file.toFile, 0, Files.size(found.file))
    }
  }

  private val handler = new RpcHandler {
    override def receive(client: TransportClient, request: ByteBuffer, answer: RpcResponseCallback): Unit =
      find(request) match {
        case Some(file) =>
          val name = newName()
          asked.put(name, Asked(client, file))
          answer.onSuccess(ByteBuffer.wrap(name.getBytes(UTF_8)))
        case None => answer.onFailure(new SecurityException(Refusal))
      }

    override def getStreamManager: StreamManager = streams

    override def channelInactive(client: TransportClient): Unit = asked.values.removeIf(_.client eq client)
  }

  private val context = SegmentTransport.context(settings, handler)
  private val server = context.createServer(address, 0, SegmentTransport.serverBootstraps(env, settings))

  def port: Int = server.getPort

  override def close(): Unit = {
    server.close()
    context.close()
  }

  /** The file of a request with the right token. */
  private def find(request: ByteBuffer): Option[Path] = {
    val shown = new Array[Byte](math.min(TokenBytes, request.remaining))
    request.get(shown)
    if (MessageDigest.isEqual(shown, token)) segment(UTF_8.decode(request).toString) else None
  }

  /**
   * A regular file `HOME/segments/TABLE/x.arrow`; if it has moved to the disk tier, a link into another home of this
   * process. Or one of a published table, `PUBLISHED/TABLE/EDITION/x.arrow`.
   */
  private def segment(text: String): Option[Path] =
    try {
      val path = Paths.get(text)
      val roots = homes().map(_.resolve("segments") -> 2) ++ published().map(_ -> 3)
      def inside(file: Path): Boolean = roots.exists { case (root, depth) =>
        file.startsWith(root) && file.getNameCount == root.getNameCount + depth
      } && file.toString.endsWith(".arrow")
      if (!inside(path) || path.normalize != path) None
      else Some(path.toRealPath()).filter(real => inside(real) && Files.isRegularFile(real))
    } catch { case _: InvalidPathException | _: IOException => None }

  private def newName(): String = {
    val bits = new Array[Byte](TokenBytes)
    random.nextBytes(bits)
    HexFormat.of().formatHex(bits)
  }
}

private[spark] object SegmentServer {
  val TokenBytes = 16
  val Refusal = "refused: no segment for this token"
}
