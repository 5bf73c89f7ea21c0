// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.segments

import com.codahale.metrics.{Gauge, MetricRegistry}
import org.sparkgap.store.StoreRoom

/**
 * What this process's homes hold, for the sinks of Spark's metrics: the gauges `store.memory.bytes` and
 * `store.disk.bytes`, files of tables, graphs and caches, and `store.mapped.bytes`, what of all stores is mapped here.
 */
private[spark] object StoreMetrics {
  def register(registry: MetricRegistry): Unit = {
    def gauge(name: String)(value: => Long): Unit =
      registry.register(name, new Gauge[Long] { override def getValue: Long = value }): Unit
    gauge("store.memory.bytes")(held(Tier.Memory))
    gauge("store.disk.bytes")(held(Tier.Disk))
    gauge("store.mapped.bytes")(LocalSegments().mappedBytes)
  }

  private def held(tier: Tier): Long = Homes().existing(tier).fold(0L)(home => StoreRoom.usedBytes(home.path))
}
