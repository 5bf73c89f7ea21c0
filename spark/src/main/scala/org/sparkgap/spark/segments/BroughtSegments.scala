// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.segments

import scala.collection.mutable.ArrayBuffer

import org.sparkgap.spark.application.WatchedWork
import org.sparkgap.store.SegmentInfo

/**
 * Segments of other hosts that the ranks of this one read: fetched before they start, kept until this is closed. Not
 * thread-safe.
 */
private[spark] final class BroughtSegments(wanted: Seq[BroughtSegments.Wanted]) extends AutoCloseable {
  import BroughtSegments._

  private val held = ArrayBuffer.empty[RemoteSegments.Hold]
  private val start = System.nanoTime()
  private lazy val work = new WatchedWork("sparkgap-fetch")(wanted.map(fetch).toMap)

  /** Bytes fetched through the network so far. */
  def bytes: Long = held.synchronized(held.map(_.fetched).sum)

  def seconds: Double = (System.nanoTime() - start) / 1e9

  /**
   * The local path of each, by its path on its own host; None if the job ends before all have come. Errors: as
   * RemoteSegments().hold.
   *
   * @param goOn
   *   called again and again, so that it can report that this host lives
   */
  def bring(goOn: () => Boolean): Option[Map[String, String]] =
    if (wanted.isEmpty) Some(Map.empty) else work.await(goOn) // each step of a fetch has a deadline

  override def close(): Unit = {
    if (wanted.nonEmpty) work.close()
    held.synchronized {
      held.foreach(_.close())
      held.clear()
    }
  }

  private def fetch(its: Wanted): (String, String) = {
    val hold = RemoteSegments().hold(its.host, its.path, its.bytes, its.crc32c)
    held.synchronized(held += hold)
    its.path -> hold.file.toString
  }
}

private[spark] object BroughtSegments {

  /** A plain class: Kryo cannot carry a record such as SegmentInfo. */
  final case class Wanted(host: String, path: String, rows: Long, bytes: Long, crc32c: String) {
    def segment: SegmentInfo = new SegmentInfo(host, path, rows, bytes, crc32c)
  }

  def wanted(segment: SegmentInfo): Wanted =
    Wanted(segment.host, segment.path, segment.rows, segment.bytes, segment.crc32c)
}
