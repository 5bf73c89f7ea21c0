// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.segments

import java.util.function.LongSupplier

import org.sparkgap.store.StoreHome
import org.sparkgap.topology.ProcessLimits

/**
 * The bytes that this host can give a home in memory now, measured at most ten times a second.
 *
 * The free memory of the host and its control groups, where page cache counts as free, less a reserve. It is 0 while
 * tasks stall because memory is short, and never more than the free space of the home's device.
 */
private[spark] final class SpareMemory(home: StoreHome) extends LongSupplier {
  private var known = 0L
  private var lookedAt = Long.MinValue

  override def getAsLong: Long = synchronized {
    val now = System.nanoTime()
    if (lookedAt == Long.MinValue || now - lookedAt > SpareMemory.FreshNanos) {
      val limits = ProcessLimits.read()
      known = if (limits.memoryStallPercent > SpareMemory.StallPercent) 0
      else math.min(limits.availableMemoryBytes - SpareMemory.ReserveBytes, home.usableBytes)
      lookedAt = now
    }
    known
  }
}

private[spark] object SpareMemory {
  private val FreshNanos = 100000000L
  private val ReserveBytes = 256L << 20

  /** Share of the last ten seconds in which some task waited for memory. */
  private val StallPercent = 20.0
}
