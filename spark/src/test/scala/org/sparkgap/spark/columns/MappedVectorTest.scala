// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.columns

import java.lang.ref.WeakReference
import java.math.BigInteger
import java.nio.file.Path

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.types.{DecimalType, LongType}
import org.apache.spark.sql.vectorized.ColumnVector
import org.junit.jupiter.api.Assertions.{assertEquals, assertNotNull, assertNull, assertThrows}
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir
import org.sparkgap.store.{Column, ColumnType, Segment, SegmentWriter, SparkGapException}

/** How long a mapping lives, and values that its file should not have. */
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
    val writer = new SegmentWriter(scratch, "part", "here",
      Seq(new Column("id", ColumnType.of(ColumnType.Kind.BIGINT), false)).asJava, 1 << 20)
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

  /** The fuzz target of segments found it. */
  @Test def decimalsOfTooManyDigitsAreRefused(@TempDir scratch: Path): Unit = for ((precision, most) <-
      Seq((10, BigInteger.valueOf(Long.MinValue)), (24, BigInteger.TEN.pow(24).subtract(BigInteger.ONE)))) {
    val writer = new SegmentWriter(scratch, s"of-$precision", "here",
      Seq(new Column("price", ColumnType.decimal(precision, 2), false)).asJava, 1 << 20)
    Seq(most, most.add(BigInteger.ONE.shiftLeft(64)), BigInteger.TEN.pow(30)).foreach(writer.column(0).appendDecimal)
    writer.advance(3)
    val segment = Segment.open(Path.of(writer.finish(true).get(0).path))
    writer.close()
    val decimals = MappedVector.of(segment, segment.place(0, 0), 0, 3, DecimalType(precision, 2))
    assertEquals(most, decimals.getDecimal(0, precision, 2).toJavaBigDecimal.unscaledValue)
    for (row <- 1 to 2) {
      val refused = assertThrows(classOf[SparkGapException], () => decimals.getDecimal(row, precision, 2))
      assertEquals(
        (SparkGapException.DATA,
          s"a decimal column of the store: expected numbers of at most $precision digits, found a longer one. Do " +
            "write the table again."),
        (refused.code, refused.text)
      )
    }
  }
}
