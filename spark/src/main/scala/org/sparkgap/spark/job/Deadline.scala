// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.job

import java.time.Duration
import java.util.concurrent.{Executors, ScheduledExecutorService, TimeUnit}

import org.apache.spark.SparkContext
import org.sparkgap.launch.{RunningJob, StoppedException}
import org.sparkgap.spark.application.Conf

/**
 * Ends a call that misses its deadline, whatever it is doing: its Spark jobs are cancelled, and the driver's own work
 * is interrupted a moment later.
 *
 * While ranks run, JobRun watches the same deadline (RunningJob.left), ends them, and can say more about them. This
 * timer acts only if that fails.
 */
private[spark] object Deadline {
  private val GraceMillis = 1000L

  private lazy val timer: ScheduledExecutorService = Executors.newSingleThreadScheduledExecutor { run =>
    val thread = new Thread(run, "sparkgap-deadline")
    thread.setDaemon(true)
    thread
  }

  /** The body's value, on the calling thread. Errors: StoppedException if it takes longer. */
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

  /** The deadline that the call sets, else that of the settings. */
  def limit(seconds: Option[Double], conf: Conf): Duration =
    seconds.map(s => Duration.ofMillis(math.max(1, (s * 1e3).toLong))).getOrElse(conf.timeout)

  /** The time left for ranks that start now. Errors: StoppedException if none is left. */
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
