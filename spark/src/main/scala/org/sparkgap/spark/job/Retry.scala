// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.job

import org.slf4j.LoggerFactory
import org.sparkgap.launch.{LostHostException, RunningJob, StoppedException}
import org.sparkgap.spark.application.{ClusterExecutors, SparkGapError}
import org.sparkgap.store.SparkGapException

/** What is tried again: a job that lost an agent, its executor or its host. */
private[spark] object Retry {
  private val log = LoggerFactory.getLogger("org.sparkgap")

  /**
   * The attempt's value; attempts count from 1.
   *
   * With an executor the segments in its home are lost, whatever the first to miss them says of that: so any error of
   * an attempt that lost one is tried again.
   */
  def apply[T](running: RunningJob, retries: Long)(attempt: Int => T): T = from(running, retries, 1)(attempt)

  /** What an attempt's files are called by: unique in the application. */
  def key(running: RunningJob, attempt: Int): String = if (attempt == 1) running.id else s"${running.id}-$attempt"

  private def from[T](running: RunningJob, retries: Long, number: Int)(attempt: Int => T): T = {
    val executors = ClusterExecutors().all
    def mayHelp(e: SparkGapException): Boolean =
      !e.isInstanceOf[StoppedException] && (e.isInstanceOf[LostHostException] || executors.diff(
        ClusterExecutors().all).nonEmpty)
    try attempt(number)
    catch {
      case e: Exception
          if number <= retries && !Thread.currentThread().isInterrupted && SparkGapError.find(e).exists(mayHelp) =>
        log.warn(s"${SparkGapError.find(e).get.text} The job is tried again, attempt ${number + 1} of ${retries + 1}.")
        from(running, retries, number + 1)(attempt)
    }
  }
}
