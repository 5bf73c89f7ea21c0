// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.segments

import org.apache.spark.SparkEnv
import org.apache.spark.storage.{RDDBlockId, StorageLevel}
import org.sparkgap.spark.application.ExecutorPart

/**
 * Keeps this executor from being given back by dynamic allocation while there are segments in its homes: as long as a
 * block of an RDD is in Spark's cache there, an executor is ended only after
 * `spark.dynamicAllocation.cachedExecutorIdleTimeout`, which is never unless it is set.
 */
private[spark] final class HeldExecutor {
  private var isHeld = false

  def look(hasSegments: Boolean): Unit = synchronized {
    val env = SparkEnv.get
    if (hasSegments != isHeld && env != null && env.conf.getBoolean("spark.dynamicAllocation.enabled", false)) {
      // Of an RDD that cannot be: Spark numbers them from 0. Each executor has a partition of its own, because Spark
      // makes a block of two executors anew elsewhere when one of them ends. Their ids are numbers in all its managers.
      val block = RDDBlockId(Int.MaxValue, env.executorId.toIntOption.getOrElse(0))
      if (hasSegments) env.blockManager.putSingle(block, 0, StorageLevel.MEMORY_ONLY): Unit
      else env.blockManager.removeBlock(block)
      isHeld = hasSegments
    }
  }
}

private[spark] object HeldExecutor extends ExecutorPart(new HeldExecutor)
