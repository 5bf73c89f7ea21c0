// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark

import java.util.concurrent.{Executors, ScheduledExecutorService, TimeUnit}

import scala.util.control.NonFatal

import org.slf4j.LoggerFactory

/** A thread that once a second removes what dropped tables have left here and unmaps what nobody reads; it starts with the first cached table. */
private[spark] object CacheHousekeeping {
  private val log = LoggerFactory.getLogger("org.sparkgap")
  private val PeriodMillis = 1000L

  /** The driver knows which tables were dropped; an executor asks it. */
  @volatile private var dropped: () => Array[String] = () => CachedTables.dropped
  private var timer: Option[ScheduledExecutorService] = None

  def askDriver(question: () => Array[String]): Unit = dropped = question

  def start(): Unit = synchronized {
    if (timer.isEmpty) {
      val made = Executors.newSingleThreadScheduledExecutor { run =>
        val thread = new Thread(run, "sparkgap-cache")
        thread.setDaemon(true)
        thread
      }
      made.scheduleWithFixedDelay(() => quietly(round()), PeriodMillis, PeriodMillis, TimeUnit.MILLISECONDS)
      timer = Some(made)
    }
  }

  /** Runs the body on that thread. */
  def soon(body: => Unit): Unit = {
    start()
    synchronized(timer.foreach(_.execute(() => quietly(body))))
  }

  def stop(): Unit = synchronized {
    timer.foreach(_.shutdownNow())
    timer = None
    dropped = () => CachedTables.dropped
  }

  private def round(): Unit = {
    val here = CacheFiles.tables
    if (here.nonEmpty) dropped().toSet.intersect(here.toSet).foreach(CacheFiles.remove)
    CacheFiles.tidy()
  }

  private def quietly(body: => Unit): Unit =
    try body
    catch { case NonFatal(e) => log.debug("cache housekeeping", e) }
}
