// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.segments

import java.util.function.LongSupplier

import org.sparkgap.store.StoreHome
import org.sparkgap.topology.ProcessLimits

/**
 * How many bytes this host could give a home in memory now, looked up at most ten times a second.
 *
 * What the host and its control groups have left beside memory that cannot be taken back (page cache can), less a
 * reserve; nothing while tasks stall for want of memory; and never more than the home's own device has.
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
