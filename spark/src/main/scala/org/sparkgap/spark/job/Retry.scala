// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.job

import org.slf4j.LoggerFactory
import org.sparkgap.launch.{LostHostException, RunningJob, StoppedException}
import org.sparkgap.spark.application.{ClusterExecutors, SparkGapError}
import org.sparkgap.store.SparkGapException

/** What is tried again: a job that lost an agent, its executor or its host. */
private[spark] object Retry {
  private val log = LoggerFactory.getLogger("sparkgap")

  /**
   * The value of the first attempt that succeeds. An attempt gets its input and a key that names its files and is
   * unique in the application.
   *
   * The segments in an executor's home are lost with it, and the first reader to miss one may fail with any error. So
   * every error of an attempt during which an executor was lost is tried again.
   *
   * @param anew
   *   the input of a further attempt, from what Spark can compute again
   */
  def apply[I, T](running: RunningJob, retries: Long, input: I)(anew: I => I)(attempt: (String, I) => T): T =
    from(running, retries, 1, input)(anew)(attempt)

  private def from[I, T](running: RunningJob, retries: Long, number: Int, input: I)(anew: I => I)(
      attempt: (String, I) => T): T = {
    val executors = ClusterExecutors().all
    def mayHelp(e: SparkGapException): Boolean =
      !e.isInstanceOf[StoppedException] && (e.isInstanceOf[LostHostException] || executors.diff(
        ClusterExecutors().all).nonEmpty)
    try attempt(if (number == 1) running.id else s"${running.id}-$number", input)
    catch {
      case e: Exception
          if number <= retries && !Thread.currentThread().isInterrupted && SparkGapError.find(e).exists(mayHelp) =>
        log.warn(s"${SparkGapError.find(e).get.text} The job is tried again, attempt ${number + 1} of ${retries + 1}.")
        from(running, retries, number + 1, anew(input))(anew)(attempt)
    }
  }
}
