// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.job

import java.time.Duration
import java.util.concurrent.{Executors, ScheduledExecutorService, TimeUnit}

import org.apache.spark.SparkContext
import org.sparkgap.launch.{RunningJob, StoppedException}
import org.sparkgap.spark.application.Conf

/**
 * Ends a call that is not over in time, whatever it does then: a job of Spark is cancelled, and what the driver itself
 * does is interrupted a moment later.
 *
 * While ranks run, who watches them looks at the same clock (RunningJob.left), ends them and knows more of them; this
 * comes only where that fails.
 */
private[spark] object Deadline {
  private val GraceMillis = 1000L

  private lazy val timer: ScheduledExecutorService = Executors.newSingleThreadScheduledExecutor { run =>
    val thread = new Thread(run, "sparkgap-deadline")
    thread.setDaemon(true)
    thread
  }

  /** The body's value, on the calling thread. Errors: StoppedException where it is not over after so long. */
  def during[T](context: SparkContext, running: RunningJob, limit: Duration)(body: => T): T = {
    running.within(limit)
    val tag = s"sparkgap-call-${running.id}"
    val watch = new Watch(context, running, tag)
    context.addJobTag(tag)
    try {
      watch.schedule(limit.toMillis)
      body
    } catch {
      case stopped: StoppedException => throw stopped
      case e: Throwable if watch.isLate => throw StoppedException.late(running, null, java.util.List.of()).initCause(e)
    } finally {
      watch.end()
      context.removeJobTag(tag)
    }
  }

  /** As a call asks for it, or as the settings say. */
  def limit(seconds: Option[Double], conf: Conf): Duration =
    seconds.map(s => Duration.ofMillis(math.max(1, (s * 1e3).toLong))).getOrElse(conf.timeout)

  /** What ranks that start now may take. Errors: StoppedException where nothing is left. */
  def left(running: RunningJob): Duration = {
    val left = running.left
    if (left.isNegative || left.isZero) throw StoppedException.late(running, null, java.util.List.of())
    left
  }

  private final class Watch(context: SparkContext, running: RunningJob, tag: String) {
    private var over = false
    private var late = false
    private var interrupted = false

    def isLate: Boolean = synchronized(late)

    def schedule(millis: Long): Unit = timer.schedule((() => look()): Runnable, millis, TimeUnit.MILLISECONDS): Unit

    private def look(): Unit = synchronized {
      if (!over) {
        if (late) {
          interrupted = true
          running.cancel()
        } else if (!running.isWatched) {
          late = true
          context.cancelJobsWithTag(tag, s"${running.kernel} had to end by now")
        } else if (running.left.toMillis < -GraceMillis) {
          late = true
        }
        schedule(GraceMillis)
      }
    }

    /** On the call's thread. */
    def end(): Unit = synchronized {
      over = true
      if (interrupted) Thread.interrupted()
    }
  }
}
