// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.peers

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.util.QuotingUtils
import org.apache.spark.sql.functions.{col, count, lit}
import org.apache.spark.sql.types.StringType
import org.sparkgap.store.SparkGapException

/** What graph algorithms on Spark's side share: ids of one type, and the refusals that the native ones make. */
private[peers] object GraphInput {

  /** One column `id`, bigint or string. */
  def ids(table: DataFrame, column: String): DataFrame = {
    val id = col(QuotingUtils.quoteIdentifier(column))
    table.select((if (table.schema(column).dataType == StringType) id else id.cast("bigint")).as("id"))
  }

  /** Errors: code 3 naming the column and how many of its values are null. */
  def refuseNulls(input: String, table: DataFrame): Unit = {
    val counts =
      table.agg(count(lit(1)), table.columns.toSeq.map(c => count(col(QuotingUtils.quoteIdentifier(c)))): _*).head()
    table.columns.zipWithIndex.foreach { case (column, i) =>
      val nulls = counts.getLong(0) - counts.getLong(i + 1)
      if (nulls > 0) throw new SparkGapException(SparkGapException.DATA, s"$input.$column", "no nulls",
        s"$nulls of them", "Do filter them out")
    }
  }

  /** Errors: code 3 naming the column and how many of its values are no finite number of at least 0. */
  def refuseWeights(input: String, table: DataFrame, column: String): Unit = {
    val weight = col(QuotingUtils.quoteIdentifier(column)).cast("double")
    // NaN is above all numbers here.
    val bad = table.filter(!(weight >= 0 && weight < Double.PositiveInfinity)).count()
    if (bad > 0) throw new SparkGapException(
      SparkGapException.DATA,
      s"$input.$column",
      "finite numbers >= 0",
      s"$bad that are negative, NaN or infinite",
      "Do filter them out or replace them before the call"
    )
  }

  def refuseEmpty(): Nothing = throw new SparkGapException(SparkGapException.DATA, "edges", "at least one row", "none",
    "Do pass a table that has rows as edges")
}
