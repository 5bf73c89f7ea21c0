// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark

import org.apache.spark.SparkContext
import org.sparkgap.topology.ProcessLimits

/** How many cores of this host Spark was given, which are the ones that a job may use in its place. */
private[spark] object SparkCores {
  private val Local = """local\[(\d+|\*)(?:,.*)?\]""".r

  /** At least 1, and never more than this process may use: threads beyond that only wait for each other. */
  def onThisHost(context: SparkContext): Int = {
    val given = context.master match {
      case "local" => 1
      case Local("*") => Int.MaxValue
      case Local(cores) => cores.toInt
      case _ =>
        val executors = context.getExecutorMemoryStatus.size - 1
        context.getConf.getOption("spark.executor.cores").map(_.toInt * executors).getOrElse(context.defaultParallelism)
    }
    math.max(1, math.min(given, ProcessLimits.read().usableCpus))
  }
}
