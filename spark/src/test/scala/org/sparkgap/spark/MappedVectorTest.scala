// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark

import java.lang.ref.WeakReference
import java.nio.file.Path

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.types.LongType
import org.apache.spark.sql.vectorized.ColumnVector
import org.junit.jupiter.api.Assertions.{assertEquals, assertNotNull, assertNull}
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir
import org.sparkgap.store.{Column, ColumnType, Segment, SegmentWriter}

/** How long a mapping lives. */
class MappedVectorTest {
  private var vector: ColumnVector = _

  /** A method of its own, so that no local keeps the segment. */
  private def open(path: Path): WeakReference[Segment] = {
    val segment = Segment.open(path)
    vector = MappedVector.of(segment, segment.place(0, 0), 0, 1000, LongType)
    new WeakReference(segment)
  }

  private def collect(): Unit = for (_ <- 1 to 5) {
    System.gc()
    Thread.sleep(20)
  }

  @Test def asLongAsAVectorThatReadsIt(@TempDir scratch: Path): Unit = {
    val writer = new SegmentWriter(scratch, "part", "here", Seq(new Column("id", ColumnType.of(ColumnType.Kind.BIGINT), false)).asJava, 1 << 20)
    (0L until 1000L).foreach(writer.column(0).appendLong)
    writer.advance(1000)
    val segment = open(Path.of(writer.finish(true).get(0).path))
    writer.close()
    collect()
    assertNotNull(segment.get, "the vector reads at its addresses")
    assertEquals(499500L, vector.getLongs(0, 1000).sum)
    vector = null
    collect()
    assertNull(segment.get, "and no longer")
  }
}
