// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark

import java.util.concurrent.{Callable, ExecutionException, FutureTask, TimeUnit, TimeoutException}

import scala.collection.mutable.ArrayBuffer

import org.sparkgap.store.SegmentInfo

/** Segments of other hosts that the ranks of this one read: fetched before they start, kept until this is closed. Not thread-safe. */
private[spark] final class BroughtSegments(wanted: Seq[BroughtSegments.Wanted]) extends AutoCloseable {
  import BroughtSegments._

  private val held = ArrayBuffer.empty[RemoteSegments.Hold]
  private val start = System.nanoTime()
  private val work = new FutureTask[Map[String, String]](new Callable[Map[String, String]] { override def call(): Map[String, String] = wanted.map(fetch).toMap })
  private val thread = new Thread(work, "sparkgap-fetch")
  thread.setDaemon(true)

  /** What has come through the network so far. */
  def bytes: Long = held.synchronized(held.map(_.fetched).sum)

  def seconds: Double = (System.nanoTime() - start) / 1e9

  /**
   * Where each lies on this host, by its path on its own; None where the job is over before all have come. Errors: as RemoteSegments.hold.
   *
   * @param goOn asked again and again, so that whoever waits for this host knows that it lives
   */
  def bring(goOn: () => Boolean): Option[Map[String, String]] =
    if (wanted.isEmpty) Some(Map.empty)
    else {
      thread.start()
      while (true) {
        if (!goOn()) return None
        try return Some(work.get(LookMillis, TimeUnit.MILLISECONDS))
        catch {
          case _: TimeoutException => // each step of a fetch has a deadline
          case e: ExecutionException => throw e.getCause
        }
      }
      None
    }

  override def close(): Unit = {
    thread.interrupt()
    if (thread.isAlive) thread.join(EndMillis)
    held.synchronized {
      held.foreach(_.close())
      held.clear()
    }
  }

  private def fetch(its: Wanted): (String, String) = {
    val hold = RemoteSegments.hold(its.host, its.path, its.bytes, its.crc32c)
    held.synchronized(held += hold)
    its.path -> hold.file.toString
  }
}

private[spark] object BroughtSegments {
  /** A plain class: Kryo cannot carry a record such as SegmentInfo. */
  final case class Wanted(host: String, path: String, bytes: Long, crc32c: String)

  private val LookMillis = 50L
  private val EndMillis = 2000L

  def wanted(segment: SegmentInfo): Wanted = Wanted(segment.host, segment.path, segment.bytes, segment.crc32c)
}
