// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.application

import org.apache.spark.{SparkConf, SparkContext}
import org.sparkgap.topology.ProcessLimits

/** The cores of this host that Spark was given: a job may use as many while it runs. */
private[spark] object SparkCores {
  private val Local = """local\[(\d+|\*)(?:,.*)?\]""".r

  /** At least 1, and never more than this process may use: threads beyond that only wait for each other. */
  def onThisHost(context: SparkContext): Int = {
    val cores = ofLocal(context.master).getOrElse {
      val executors = context.getExecutorMemoryStatus.size - 1
      context.getConf.getOption("spark.executor.cores").map(_.toInt * executors).getOrElse(context.defaultParallelism)
    }
    math.max(1, math.min(cores, ProcessLimits.read().usableCpus))
  }

  /**
   * How many tasks the executor of this process runs at once, at least 1. If no setting fixes its cores, only its
   * command line says how many it was given.
   */
  def tasksAtOnce(conf: SparkConf): Int = {
    val cores = ofLocal(conf.get("spark.master", "")).map(cores =>
      if (cores == Int.MaxValue) Runtime.getRuntime.availableProcessors else cores)
      .orElse(JvmFlags.command.sliding(2).collectFirst { case Seq("--cores", cores) => cores.toInt })
    math.max(1, cores.getOrElse(conf.getInt("spark.executor.cores", 1)) / conf.getInt("spark.task.cpus", 1))
  }

  /** The cores that local mode's master names, the largest number for `*`; None in another mode. */
  private def ofLocal(master: String): Option[Int] = master match {
    case "local" => Some(1)
    case Local("*") => Some(Int.MaxValue)
    case Local(cores) => Some(cores.toInt)
    case _ => None
  }
}
