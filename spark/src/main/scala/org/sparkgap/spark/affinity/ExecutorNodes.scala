// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.affinity

import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.locks.LockSupport

import scala.util.control.NonFatal

import org.sparkgap.spark.application.{ClusterExecutors, DriverLink, DriverPart}

/**
 * The number of NUMA nodes of each executor, which it reports to the driver at its start: for jobs with a rank in each
 * node.
 */
private[spark] final class ExecutorNodes {
  import ExecutorNodes._

  private val told = new ConcurrentHashMap[String, Integer]

  def heard(word: Word): Unit = told.put(word.executor, word.nodes)

  /**
   * NUMA nodes of a host. Any of its executors may start the ranks there, so the smallest number counts; 1 without
   * executors.
   */
  def on(host: String): Int = {
    val executors = ClusterExecutors().on(host).map(_.id)
    val end = System.nanoTime() + WaitNanos
    while (executors.exists(!told.containsKey(_)) && System.nanoTime() < end) LockSupport.parkNanos(LookNanos)
    executors.map(id => told.getOrDefault(id, 1).toInt).minOption.getOrElse(1)
  }
}

private[spark] object ExecutorNodes extends DriverPart(new ExecutorNodes) {
  final case class Word(executor: String, nodes: Int) extends Serializable

  /** The time for an executor that Spark knows to report; after that it counts for one node. */
  private val WaitNanos = 5000000000L

  private val LookNanos = 5000000L

  /** On an executor. */
  def tell(executor: String): Unit =
    try DriverLink().tell(Word(executor, TaskAffinity().nodes))
    catch { case NonFatal(_) => /* It counts for one. */ }
}
