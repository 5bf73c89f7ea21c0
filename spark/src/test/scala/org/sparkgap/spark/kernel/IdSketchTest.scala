// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.kernel

import org.apache.spark.unsafe.types.UTF8String
import org.junit.jupiter.api.Assertions.{assertEquals, assertTrue}
import org.junit.jupiter.api.Test

class IdSketchTest {
  private def of(ids: Iterator[Long]): IdSketch = {
    val sketch = new IdSketch
    ids.foreach(sketch.add)
    sketch
  }

  @Test def itCountsDistinctIdsAndNotTooFew(): Unit =
    for (distinct <- Seq(20000L, 300000L, 3000000L); factor <- Seq(1L, 1L << 20, 0x9e3779b97f4a7c15L)) {
      val found = of(Iterator.range(0, 2).flatMap(_ =>
          Iterator.iterate(0L)(_ + 1).takeWhile(_ < distinct).map(_ * factor))).distinctAtMost
      assertTrue(found >= distinct && found < 1.2 * distinct, s"$found of $distinct, $factor apart")
    }

  @Test def fewAreTooManyButNotMuch(): Unit = for (distinct <- Seq(0L, 1L, 1000L)) {
    val found = of(Iterator.iterate(0L)(_ + 1).takeWhile(_ < distinct)).distinctAtMost
    assertTrue(found >= distinct && found < 8192, s"$found of $distinct")
  }

  @Test def halvesMakeAWhole(): Unit = {
    val whole = of(Iterator.iterate(0L)(_ + 3).takeWhile(_ < 300000))
    val halves = of(Iterator.iterate(0L)(_ + 3).takeWhile(_ < 200000)).merge(
      of(Iterator.iterate(150000L)(_ + 3).takeWhile(_ < 300000)))
    assertEquals((whole.distinctAtMost, Some(299998L)), (halves.distinctAtMost, halves.span))
  }

  @Test def spansAreOfNumbersThatHaveOne(): Unit = {
    assertEquals(None, new IdSketch().span)
    assertEquals(Some(1L), of(Iterator(-5L)).span)
    assertEquals(Some(11L), of(Iterator(5L, -5L)).span)
    assertEquals(None, of(Iterator(Long.MinValue, Long.MaxValue)).span)
    assertEquals(None, of(Iterator(0L, Long.MaxValue)).span)
  }

  @Test def stringsHaveALength(): Unit = {
    val sketch = new IdSketch
    (0 until 50000).foreach(i => sketch.add(UTF8String.fromString(f"vertex-$i%05d")))
    assertEquals((12.0, None), (sketch.meanBytes, sketch.span))
    assertTrue(sketch.distinctAtMost >= 50000 && sketch.distinctAtMost < 60000)
  }
}
