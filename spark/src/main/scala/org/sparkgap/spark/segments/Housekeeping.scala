// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.segments

import java.util.concurrent.{Executors, ScheduledExecutorService, TimeUnit}

import scala.util.control.NonFatal

import org.slf4j.LoggerFactory
import org.sparkgap.launch.MpichLeftovers
import org.sparkgap.spark.application.{ProcessPart, ProcessState}

/**
 * A thread that, once a second, removes and unmaps files of dropped tables and copies without a reader. Now and then it
 * also removes homes of dead processes, which may have died after their successors began. An executor starts it at
 * once, the driver with the first table that is written here.
 */
private[spark] final class Housekeeping extends AutoCloseable {
  import Housekeeping._

  /** The driver knows which folders have no owner; an executor asks it. */
  @volatile private var ask: Seq[String] => SegmentFolders.Answer = own

  private var timer: Option[ScheduledExecutorService] = None

  def askDriver(question: Seq[String] => SegmentFolders.Answer): Unit = ask = question

  def start(): Unit = synchronized {
    if (timer.isEmpty) {
      val made = Executors.newSingleThreadScheduledExecutor { run =>
        val thread = new Thread(run, "sparkgap-cache")
        thread.setDaemon(true)
        thread
      }
      val rounds = Iterator.from(1)
      made.scheduleWithFixedDelay(() => quietly(round(rounds.next())), 0, PeriodMillis, TimeUnit.MILLISECONDS)
      timer = Some(made)
    }
  }

  /** Runs the body on that thread. */
  def soon(body: => Unit): Unit = {
    start()
    synchronized(timer.foreach(_.execute(() => quietly(body))))
  }

  override def close(): Unit = synchronized {
    timer.foreach(_.shutdownNow())
    timer = None
    ask = own
  }

  private def round(number: Int): Unit = {
    val here = Homes().all.flatMap(home => LocalSegments.list(home.path.resolve("segments"))).map(
      _.getFileName.toString).distinct
    if (here.nonEmpty) heed(here)
    if (ProcessState.isExecutorAlone) HeldExecutor().look(here.nonEmpty)
    RemoteSegments().tidy()
    LocalSegments().tidy()
    if (number % RoundsBetweenSweeps == 0) {
      Homes().sweep()
      MpichLeftovers.sweep()
    }
  }

  private def heed(here: Seq[String]): Unit = {
    val answer = ask(here)
    answer.ended.foreach(LocalSegments().remove)
    LocalSegments().discard(answer.files)
    // The driver hears at once where segments are served: a task on another host may wait for one.
    if (answer.token != null && OwnServer().start(answer.token)) heed(here)
  }
}

private[spark] object Housekeeping extends ProcessPart(new Housekeeping) {
  private val log = LoggerFactory.getLogger("sparkgap")
  private val PeriodMillis = 1000L
  private val RoundsBetweenSweeps = 10

  private def own: Seq[String] => SegmentFolders.Answer =
    folders => SegmentFolders.Answer(SegmentFolders().ended(folders), Nil, null)

  private def quietly(body: => Unit): Unit =
    try body
    catch { case NonFatal(e) => log.debug("cache housekeeping", e) }
}
