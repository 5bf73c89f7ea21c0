// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.segments

import java.io.IOException
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path, Paths}
import java.security.MessageDigest
import java.util.HexFormat
import java.util.concurrent.{CompletableFuture, ExecutionException, TimeUnit, TimeoutException}

import scala.collection.mutable

import org.apache.spark.{SparkEnv, TaskContext}
import org.sparkgap.spark.application.{DriverLink, LocalHost, ProcessPart}
import org.sparkgap.store.{MappedSegments, Segment, SparkGapException}

/**
 * Segments of other hosts, as files of this one: each is fetched once into a home of this process, for all readers.
 *
 * A copy stays for a while after its last reader, because the next task may want another part of the same segment.
 */
private[spark] final class RemoteSegments extends AutoCloseable {
  import RemoteSegments._

  private final class Copy {
    val file = new CompletableFuture[Path]
    var readers = 0
    var idleSince = 0L
  }

  private val copies = mutable.HashMap.empty[String, Copy]
  private var client: Option[SegmentClient] = None

  /** Errors: as `hold`, and code 3 if the file is gone or damaged. */
  def open(host: String, path: String, bytes: Long, crc32c: String): Open =
    if (LocalHost().is(host)) new Open(LocalSegments().open(Paths.get(path)), None)
    else {
      val held = hold(host, path, bytes, crc32c)
      try new Open(LocalSegments().open(held.file), Some(held))
      catch { case e: Throwable => held.close(); throw e }
    }

  /**
   * Errors: code 3 if the segment's executor has ended or cannot be reached, 4 if there is no room for a copy.
   */
  def hold(host: String, path: String, bytes: Long, crc32c: String): Hold = {
    val name = folder(host, path)
    val (copy, mine) = synchronized {
      val known = copies.get(name)
      val found = known.getOrElse(new Copy)
      if (known.isEmpty) copies(name) = found
      found.readers += 1
      (found, known.isEmpty)
    }
    var fetched = 0L
    if (mine) {
      try {
        val (file, came) = fetch(name, host, path, bytes, crc32c)
        fetched = came
        copy.file.complete(file)
      } catch {
        case e: Throwable =>
          synchronized(copies.remove(name))
          copy.file.completeExceptionally(e)
          throw e
      }
    }
    try {
      val file = await(copy.file)
      var closed = false
      new Hold(file, fetched,
        () =>
          synchronized {
            if (!closed) release(copy)
            closed = true
          })
    } catch {
      case e: Throwable =>
        synchronized(release(copy))
        // The reader that fetched it was killed; this one goes on.
        if (e.isInstanceOf[ExecutionException] && e.getCause.isInstanceOf[InterruptedException])
          hold(host, path, bytes, crc32c)
        else throw (if (e.isInstanceOf[ExecutionException]) e.getCause else e)
    }
  }

  /** Removes copies that have had no reader for a while. */
  def tidy(): Unit = drop(copy => System.nanoTime() - copy.idleSince > LingerNanos)

  override def close(): Unit = synchronized {
    copies.clear()
    client.foreach(_.close())
    client = None
  }

  private def drop(old: Copy => Boolean): Unit = synchronized {
    for ((name, copy) <- copies.toSeq if copy.readers == 0 && copy.file.isDone && old(copy)) {
      copies.remove(name)
      val file = copy.file.get()
      LocalSegments().forget(file)
      Files.deleteIfExists(file)
      Files.deleteIfExists(file.getParent)
    }
  }

  private def release(copy: Copy): Unit = {
    copy.readers -= 1
    copy.idleSince = System.nanoTime()
  }

  /** The copy, and how many bytes came for it. */
  private def fetch(name: String, host: String, path: String, bytes: Long, crc32c: String): (Path, Long) = {
    Housekeeping().start()
    val target = LocalSegments().place(name, onDisk = false).begin(bytes).resolve(Paths.get(path).getFileName.toString)
    try {
      if (linked(name, target)) (target, 0)
      else {
        val served = address(host, path)
        connection().fetch(served.host, served.port, served.token, path, bytes, crc32c, target)
        (target, bytes)
      }
    } catch {
      case e: Throwable =>
        try Files.deleteIfExists(target.getParent)
        catch { case _: IOException => }
        e match {
          case unreached: IOException => throw problem(host, path,
              s"that it cannot be fetched (${SegmentClient.firstLine(unreached)})", Segment.AGAIN)
          case other => throw other
        }
    }
  }

  /** Whether another process of this host has a copy; it then gets a second name. */
  private def linked(name: String, target: Path): Boolean = {
    val others = for (store <- Homes().stores.iterator; home <- LocalSegments.list(store))
      yield home.resolve("segments").resolve(name).resolve(target.getFileName)
    others.filter(other => other != target && Files.isRegularFile(other)).exists { other =>
      try {
        Files.createLink(target, other)
        true
      } catch {
        case _: IOException | _: UnsupportedOperationException => false
      } // on another device, or removed meanwhile
    }
  }

  private def address(host: String, path: String): SegmentAddresses.Served = {
    val end = System.nanoTime() + AddressNanos
    while (true) {
      val question = SegmentAddresses.Question(host, path)
      (if (SparkEnv.get.executorId == "driver") SegmentAddresses().answer(question)
       else DriverLink().ask(question)) match {
        case served: SegmentAddresses.Served => return served
        case SegmentAddresses.NotYet if System.nanoTime() < end => Thread.sleep(PollMillis)
        case SegmentAddresses.NotYet =>
          throw problem(host, path, s"that its executor has not said for ${AddressNanos / 1000000000L} s where",
            "Do look at that executor's log")
        case _ => throw problem(host, path, "that its executor has ended", Segment.AGAIN)
      }
    }
    throw new IllegalStateException
  }

  private def connection(): SegmentClient = synchronized {
    client.getOrElse {
      val made = new SegmentClient(SparkEnv.get)
      client = Some(made)
      made
    }
  }
}

private[spark] object RemoteSegments extends ProcessPart(new RemoteSegments) {
  private val Prefix = "fetched-"
  private val LingerNanos = 10000000000L
  private val AddressNanos = 10000000000L
  private val PollMillis = 50L

  /** A hold on a copy: until it is closed the file stays. `fetched`: bytes that came through the network for it. */
  final class Hold(val file: Path, val fetched: Long, done: () => Unit) extends AutoCloseable {
    override def close(): Unit = done()
  }

  /** A mapped segment of any host; its addresses are valid as long as `lease` is reachable. */
  final class Open(val lease: MappedSegments#Lease, hold: Option[Hold]) extends AutoCloseable {
    def segment: Segment = lease.segment

    override def close(): Unit = {
      lease.close()
      hold.foreach(_.close())
    }
  }

  private def await(file: CompletableFuture[Path]): Path = {
    while (true) {
      if (Option(TaskContext.get()).exists(_.isInterrupted())) throw new InterruptedException("the task was killed")
      try return file.get(PollMillis, TimeUnit.MILLISECONDS)
      catch { case _: TimeoutException => } // the fetching thread has a deadline for each step
    }
    throw new IllegalStateException
  }

  private def problem(host: String, path: String, found: String, action: String): SparkGapException =
    new SparkGapException(SparkGapException.DATA, s"table ${SegmentFolders.labelOf(path)}",
      s"its segment on host $host", found, action)

  /** Whether a folder holds a copy. */
  def isCopy(folder: String): Boolean = folder.startsWith(Prefix) && !folder.contains('.')

  private def folder(host: String, path: String): String =
    Prefix + HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(s"$host:$path".getBytes(UTF_8)), 0,
      12)
}
