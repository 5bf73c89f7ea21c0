// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.columns

import java.nio.file.{Path, Paths}

import org.apache.spark.sql.types.LongType
import org.junit.jupiter.api.Assertions.{assertArrayEquals, assertEquals, assertTrue}
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir
import org.sparkgap.store.{Column, ColumnType, Segment, SegmentWriter}

class NarrowedVectorTest {
  private val values = Array[Long](Int.MinValue, -1, 0, Int.MaxValue)

  @Test def bigintsThatStandAsIntsAreReadAsBigints(@TempDir folder: Path): Unit = {
    val writer = new SegmentWriter(folder, "part", "here",
      java.util.List.of(new Column("id", ColumnType.find("bigint"), true)), 1L << 20)
    val segment =
      try {
        writer.narrow(0)
        writer.column(0).appendLongs(values, 0, values.length)
        writer.column(0).appendNull()
        writer.advance(values.length + 1)
        Segment.open(Paths.get(writer.finish(false).get(0).path))
      } finally {
        writer.close()
      }
    assertEquals("int", segment.columns.get(0).`type`.ddl)
    for (first <- 0 to 2) {
      val vector = MappedVector.of(segment, segment.place(0, 0), first, 5 - first, LongType)
      assertEquals(LongType, vector.dataType)
      assertArrayEquals(values.drop(first), vector.getLongs(0, 4 - first))
      assertEquals(values.drop(first).toSeq, (0 until 4 - first).map(vector.getLong))
      assertTrue(vector.isNullAt(4 - first) && !vector.isNullAt(0))
    }
  }
}
