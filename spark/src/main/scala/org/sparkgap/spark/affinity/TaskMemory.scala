// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.affinity

import org.slf4j.LoggerFactory
import org.sparkgap.topology.{Bitmap, HwlocException, MemoryPolicy, Topology}

/**
 * What task threads touch first lies on the NUMA node of their processors, as long as it has room. A system that
 * forbids it (containers do) is told of once.
 */
private[spark] final class TaskMemory private (topology: Topology, places: Seq[Bitmap]) {
  private val binding = topology.memoryBinding
  private val default = topology.nodeset

  /** Of several, such as fast memory beside the other, the first. */
  private val nodes =
    places.distinct.map(cpus => cpus -> topology.coverage.nodesOf(cpus).singlify).filterNot(_._2.isEmpty).toMap
  @volatile private var refused = false

  /** The calling thread's, on the node of this place. */
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
  private val log = LoggerFactory.getLogger("org.sparkgap")

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
