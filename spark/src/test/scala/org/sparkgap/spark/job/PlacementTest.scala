// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.job

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test

/** Ranks of machines that are not here. */
class PlacementTest {
  @Test def aRankForEachNodeOfEachHost(): Unit = {
    val (cores, nodes) = (Map("a" -> 16, "b" -> 8, "c" -> 1), Map("a" -> 4, "b" -> 2, "c" -> 2))
    def placed(hosts: Seq[String], threads: Option[Int] = None): Placement =
      Placement.inNodes(hosts, cores, nodes, threads)
    assertEquals(Placement(Seq("a", "a", "a", "a", "b", "b"), 4, onDriversHost = false, apart = true),
      placed(Seq("a", "b")))
    assertEquals(
      Placement(Seq("a", "a", "a", "a", "c"), 1, onDriversHost = false, apart = true),
      placed(Seq("a", "c")),
      "a node without a core has no rank, and the least counts for all"
    )
    assertEquals(3, placed(Seq("b"), Some(3)).threads)
  }
}
