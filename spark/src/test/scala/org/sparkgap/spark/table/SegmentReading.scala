// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.table

import java.util.function.Consumer

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.CatalystTypeConverters.createToScalaConverter
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}
import org.sparkgap.spark.columns.{MappedVector, Types}
import org.sparkgap.store.Segment

/**
 * Every value of a segment, as the fuzz target of segments has Spark read it: through the vectors that queries get, row
 * by row. Errors: SparkGapException with code 3.
 */
final class SegmentReading extends Consumer[Segment] {
  override def accept(segment: Segment): Unit = {
    val schema = Types.spark(segment.columns.asScala.toSeq)
    val converters = schema.fields.map(field => createToScalaConverter(field.dataType))
    for (batch <- 0 until segment.batches) {
      val vectors = Array.tabulate[ColumnVector](schema.length)(i =>
        MappedVector.of(segment, segment.place(batch, i), 0, segment.rows(batch), schema(i).dataType))
      new ColumnarBatch(vectors, segment.rows(batch)).rowIterator.forEachRemaining { row =>
        for (i <- converters.indices) {
          val value = row.get(i, schema(i).dataType)
          try converters(i)(value)
          catch {
            case _: ArithmeticException if schema(i).dataType.sql.contains("TIMESTAMP") => ()
          } // Spark cannot show the first and last of its own
        }
      }
    }
  }
}
