// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.columns

import java.nio.file.{Files, Path, Paths}

import org.apache.spark.sql.types.DataType
import org.junit.jupiter.api.Assertions.{assertEquals, assertNull, assertTrue}
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir
import org.sparkgap.spark.LocalSpark.refused
import org.sparkgap.store.{Column, ColumnType, Segment, SegmentWriter}

class NestedVectorTest {
  private val ddl = "struct<tags:array<int>>"

  /** One batch of the structs {[1,2,3]}, null, {null}, {[4,5]}. */
  private def write(folder: Path): Path = {
    val writer = new SegmentWriter(folder, "part", "here",
      java.util.List.of(new Column("s", ColumnType.find(ddl), true)), 1L << 20)
    try {
      val structs = writer.column(0)
      def tags(values: Int*): Unit = {
        structs.appendStructs(1)
        structs.child(0).appendArray(values.length)
        structs.child(0).child(0).appendInts(values.toArray, 0, values.length)
      }
      tags(1, 2, 3)
      structs.appendNull()
      structs.appendStructs(1)
      structs.child(0).appendNull()
      tags(4, 5)
      writer.advance(4)
      Paths.get(writer.finish(false).get(0).path)
    } finally {
      writer.close()
    }
  }

  private def vector(file: Path, first: Int, rows: Int) = {
    val segment = Segment.open(file)
    MappedVector.of(segment, segment.place(0, 0), first, rows, DataType.fromDDL(ddl))
  }

  @Test def aSliceSeesItsOwnRows(@TempDir folder: Path): Unit = {
    val file = write(folder)
    for (first <- 0 to 3) {
      val slice = vector(file, first, 4 - first)
      def row(i: Int): Any =
        if (slice.isNullAt(i)) "null" else Option(slice.getStruct(i).getArray(0)).map(_.toIntArray.toSeq)
      assertEquals(Seq(Some(Seq(1, 2, 3)), "null", None, Some(Seq(4, 5))).drop(first), (0 until 4 - first).map(row))
      assertEquals(if (first <= 1) 1 else 0, slice.numNulls)
      assertEquals(if (first <= 2) 1 else 0, slice.getChild(0).numNulls, "below a null is no null")
    }
    assertNull(vector(file, 0, 4).getStruct(1))
  }

  @Test def damagedOffsetsDoNotLeadOutOfTheFile(@TempDir folder: Path): Unit = {
    val file = write(folder)
    val bytes = Files.readAllBytes(file)
    val at = bytes.indexOfSlice(Seq[Byte](0, 0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0, 5))
    assertTrue(at > 0)
    for ((place, byte) <- Seq(16 -> 6.toByte, 19 -> 0x80.toByte, 19 -> 0x7f.toByte)) {
      val damaged = bytes.clone
      damaged(at + place) = byte
      Files.write(file, damaged)
      val tags = vector(file, 0, 4).getChild(0)
      assertEquals(3, tags.getArray(0).numElements)
      refused(3, "segment column tags: expected offsets within 5 elements")(tags.getArray(3))
    }
  }
}
