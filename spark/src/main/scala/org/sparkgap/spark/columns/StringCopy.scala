// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.columns

import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String
import org.sparkgap.store.ColumnBuffer

/**
 * Strings into a segment without an array for each: Spark's strings stand in rows, pages or mappings, and pass through
 * one array.
 */
private[spark] final class StringCopy {
  private var scratch = new Array[Byte](256)

  def append(text: UTF8String, to: ColumnBuffer): Unit = {
    val count = text.numBytes
    if (count > scratch.length)
      scratch = new Array[Byte](math.max(count, math.min(2L * scratch.length, Int.MaxValue - 64L).toInt))
    text.writeToMemory(scratch, Platform.BYTE_ARRAY_OFFSET)
    to.appendBytes(scratch, 0, count)
  }
}
