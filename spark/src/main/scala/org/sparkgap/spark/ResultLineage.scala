// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark

import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._

import org.slf4j.LoggerFactory
import org.sparkgap.store.{Manifest, SegmentInfo}

/**
 * Results that their calls can make anew: segments die with the executor in whose home they lie, and Spark has no lineage of what ranks wrote.
 *
 * It is looked at when a query is planned or a graph is named. A loss of which Spark hears only later fails that query, and the next one finds it.
 */
private[spark] object ResultLineage {
  private val log = LoggerFactory.getLogger("org.sparkgap")
  private val calls = new ConcurrentHashMap[String, Call]

  /** @param made the segments of its result: another table may have the name by now */
  private final class Call(val made: Seq[SegmentInfo], val again: () => Unit)

  /** The call that made a table. */
  def remember(table: String)(again: => Unit): Unit =
    if (!LocalHost.allHere) calls.put(table, new Call(segments(Homes.tables().get(table)), () => again))

  def forget(table: String): Unit = calls.remove(table)

  def clear(): Unit = calls.clear()

  /** What a call once read, as it can be read now. */
  def anew(input: KernelInput): KernelInput = input match {
    case TableInput(spec, data) => TableInput(spec, data.toDF()) // planned anew
    case GraphStored(spec, manifest) => GraphStored(spec, whole(manifest))
  }

  /**
   * The table with all of its segments: itself; made anew, where some are lost and a call has made it; else as it is, for its reader to say what is missing.
   *
   * Errors: as the call's.
   */
  def whole(table: Manifest): Manifest =
    if (!isLost(table)) table
    else Option(calls.get(table.name)).fold(table) { call =>
      call.synchronized {
        val known = Homes.tables().get(table.name)
        if (known == null || known.columns != table.columns) table
        else if (!isLost(known)) known
        else if (segments(known) != call.made) table
        else {
          log.warn(s"${StoreTable.qualified(table)}: some of it was lost with its executor. It is made anew.")
          call.again()
          StoreTable.deleteSegments(known)
          Option(Homes.tables().get(table.name)).getOrElse(table)
        }
      }
    }

  private def isLost(table: Manifest): Boolean =
    table.published == null && !LocalHost.allHere && segments(table).exists(isLost)

  private def segments(table: Manifest): Seq[SegmentInfo] = table.segments.asScala.toSeq ++ Option(table.graph).toSeq.flatMap(_.segments.asScala)

  private def isLost(segment: SegmentInfo): Boolean =
    !LocalHost.isHere(segment.host) && SegmentAddresses.answer(SegmentAddresses.Question(segment.host, segment.path)) == SegmentAddresses.Ended
}
