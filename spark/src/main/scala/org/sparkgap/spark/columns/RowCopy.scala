// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.columns

import org.apache.spark.sql.catalyst.InternalRow
import org.sparkgap.store.SegmentWriter

/** Rows into a segment: column i of the segment is value i of each row. */
private[spark] final class RowCopy(columns: Int, writer: SegmentWriter) {
  private val values = Array.tabulate(columns)(i => ValueCopy(writer.column(i)))

  def append(row: InternalRow): Unit = {
    var c = 0
    while (c < values.length) {
      values(c).append(row, c)
      c += 1
    }
    writer.advance(1)
  }
}
