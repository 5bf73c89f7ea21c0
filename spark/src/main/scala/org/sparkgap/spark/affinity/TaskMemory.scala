// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.affinity

import org.slf4j.LoggerFactory
import org.sparkgap.topology.{Bitmap, HwlocException, MemoryPolicy, Topology}

/**
 * Memory that task threads touch first lies on the NUMA node of their processors, while that node has room. If the
 * system forbids this (containers do), the log says so once.
 */
private[spark] final class TaskMemory private (topology: Topology, places: Seq[Bitmap]) {
  private val binding = topology.memoryBinding
  private val default = topology.nodeset

  /** The first of several nodes, such as fast memory beside other memory. */
  private val nodes =
    places.distinct.map(cpus => cpus -> topology.coverage.nodesOf(cpus).singlify).filterNot(_._2.isEmpty).toMap
  @volatile private var refused = false

  /** Sets the calling thread's memory policy to the node of this place. */
  def bind(place: Bitmap): Unit =
    nodes.get(place).foreach(node => unlessRefused(binding.bindThread(node, MemoryPolicy.BIND)))

  def lift(): Unit = unlessRefused(binding.bindThread(default, MemoryPolicy.DEFAULT))

  private def unlessRefused(call: => Unit): Unit =
    if (!refused) {
      try call
      catch {
        case e: HwlocException =>
          refused = true
          TaskMemory.log.warn(s"${e.getMessage} Memory of tasks stays where the system puts it.")
      }
    }
}

private[spark] object TaskMemory {
  private val log = LoggerFactory.getLogger("sparkgap")

  /** None if a memory policy was set before, as numactl does: it stays. */
  def of(topology: Topology, places: Seq[Bitmap]): Option[TaskMemory] =
    try Some(new TaskMemory(topology, places)).filter(_ =>
        topology.memoryBinding.thread.policy == MemoryPolicy.FIRST_TOUCH)
    catch {
      case e: HwlocException =>
        log.warn(s"${e.getMessage} Memory of tasks stays where the system puts it.")
        None
    }
}
