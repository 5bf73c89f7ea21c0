// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.table

import java.nio.file.{Files, Paths}
import java.util.{Set => JSet}
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicBoolean

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.spark.scheduler.{SparkListener, SparkListenerExecutorRemoved}
import org.apache.spark.sql.SparkSession
import org.slf4j.LoggerFactory
import org.sparkgap.spark.application.{DriverPart, LocalHost}
import org.sparkgap.spark.segments.{Homes, Housekeeping, SegmentAddresses, SegmentFolders}
import org.sparkgap.store.{Manifest, SegmentInfo}

/**
 * Results that their calls can make anew: segments die with the executor in whose home they lie, and Spark has no
 * lineage of ranks' results.
 *
 * Losses are looked for when a query is planned or a graph is named. A loss that Spark learns of later fails that
 * query, and the next one finds it. Spark plans once for all what `df.cache()` keeps: it plans that anew when an
 * executor is gone.
 */
private[spark] final class ResultLineage {
  import ResultLineage._

  /**
   * By the folders of its segments, the present and the lost ones, because a table's name may be given to another table
   * later.
   */
  private val calls = new ConcurrentHashMap[String, Call]

  private val listens = new AtomicBoolean

  /** @param now the table as it was made last */
  private final class Call(var now: Manifest, val again: () => Manifest) {

    /** Under which it was read. */
    val names: JSet[String] = ConcurrentHashMap.newKeySet()
  }

  /** The call that made a table. What lies in the driver's own homes is lost only with the driver. */
  def remember(table: Manifest)(again: => Manifest): Unit =
    if (segments(table).exists(!isOwn(_))) {
      if (listens.compareAndSet(false, true)) listen(SparkSession.active)
      val call = new Call(table, () => again)
      SegmentFolders().of(table).foreach(calls.put(_, call))
    }

  /** The table is read under that plain name. */
  def read(table: Manifest, name: String): Unit = folders(table).flatMap(folder =>
    Option(calls.get(folder))).headOption.foreach(_.names.add(name))

  /** The table has no name any more. */
  def forget(table: Manifest): Unit = SegmentFolders().of(table).flatMap(folder =>
    Option(calls.get(folder))).distinct.foreach(call => calls.values.removeIf(_ eq call))

  /** How many there are. */
  def count: Int = calls.size

  /**
   * The table with all of its segments: itself; made anew, where some are lost and a call has made it; else as it is,
   * for its reader to say what is missing.
   *
   * Errors: as the call's.
   */
  def whole(table: Manifest): Manifest =
    if (!isLost(table)) table
    else folders(table).flatMap(folder => Option(calls.get(folder))).headOption.fold(table) { call =>
      call.synchronized {
        if (isLost(call.now)) remake(call)
        call.now
      }
    }

  /** The table that stands for one with segments in that folder, where it was made by a call. */
  def latest(folder: String): Option[Manifest] = Option(calls.get(folder)).map(_.now)

  private def listen(session: SparkSession): Unit = session.sparkContext.addSparkListener(new SparkListener {
    override def onExecutorRemoved(event: SparkListenerExecutorRemoved): Unit = Housekeeping().soon {
      for (call <- calls.values.asScala.toSeq.distinct if isLost(call.now); name <- call.names.asScala)
        try session.catalog.refreshTable(StoreTable.qualified(name))
        catch { case NonFatal(e) => log.debug(s"$name: nothing of that name is cached any more", e) }
    }
  })

  private def remake(call: Call): Unit = {
    val lost = call.now
    log.warn(s"${StoreTable.qualified(lost)}: some of it was lost with its executor. It is made anew.")
    val made = call.again()
    if (Homes().tables().replace(lost, made)) {
      // Holders of the former table find this one by the old folders.
      SegmentFolders().of(made).foreach(calls.put(_, call))
      call.now = made
      SegmentFolders().of(lost).foreach(SegmentFolders().end)
    } else {
      SegmentFolders().of(made).foreach(SegmentFolders().end) // it was dropped meanwhile
    }
  }
}

private[spark] object ResultLineage extends DriverPart(new ResultLineage) {
  private val log = LoggerFactory.getLogger("sparkgap")

  private def isLost(table: Manifest): Boolean = table.published == null && segments(table).exists(isLost)

  private def segments(table: Manifest): Seq[SegmentInfo] =
    table.segments.asScala.toSeq ++ Option(table.graph).toSeq.flatMap(_.segments.asScala)

  private def folders(table: Manifest): Seq[String] = segments(table).map(s => SegmentFolders.folderOf(s.path)).distinct

  /** Its executor has ended, though its file may be there for a moment more, or the file is gone. */
  private def isLost(segment: SegmentInfo): Boolean = !isOwn(segment) && (
    if (LocalHost().is(segment.host)) !SegmentAddresses.isHeld(segment.path) || !Files.exists(Paths.get(segment.path))
    else SegmentAddresses().answer(SegmentAddresses.Question(segment.host, segment.path)) == SegmentAddresses.Ended
  )

  private def isOwn(segment: SegmentInfo): Boolean =
    Homes().all.exists(home => Paths.get(segment.path).startsWith(home.path))
}
