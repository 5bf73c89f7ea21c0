// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.affinity

import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.locks.LockSupport

import scala.util.control.NonFatal

import org.sparkgap.spark.application.{ClusterExecutors, DriverLink, DriverPart}

/**
 * How many NUMA nodes executors have, which they tell the driver when they start: for jobs with a rank in each node.
 */
private[spark] final class ExecutorNodes {
  import ExecutorNodes._

  private val told = new ConcurrentHashMap[String, Integer]

  def heard(word: Word): Unit = told.put(word.executor, word.nodes)

  /**
   * Of a host. Any of its executors may be the one that starts ranks there, so the least counts; 1 where there is none.
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

  /** So long an executor may be known to Spark and have said nothing yet; then it counts for one node. */
  private val WaitNanos = 5000000000L

  private val LookNanos = 5000000L

  /** On an executor. */
  def tell(executor: String): Unit =
    try DriverLink().tell(Word(executor, TaskAffinity().nodes))
    catch { case NonFatal(_) => /* It counts for one. */ }
}
