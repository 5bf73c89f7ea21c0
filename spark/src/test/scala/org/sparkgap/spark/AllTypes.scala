// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark

import org.apache.spark.sql.{DataFrame, SparkSession}

/** A column of every flat type that the store keeps, every fifth value null. */
object AllTypes {
  def apply(spark: SparkSession, n: Long): DataFrame = {
    def some(sql: String, k: Int) = s"if((id + $k) % 5 = 0, null, $sql)"
    spark.range(0, n, 1, 3).selectExpr(
      some("id % 2 = 0", 0) + " b",
      some("cast(id % 100 as tinyint)", 1) + " i8",
      some("cast(id % 30000 as smallint)", 2) + " i16",
      some("cast(id as int)", 3) + " i32",
      some("id * 1000003", 4) + " i64",
      some("cast(id as float) / 3", 0) + " f32",
      some("id / 7", 1) + " f64",
      some("cast(id - 5 as decimal(10,2))", 2) + " dec",
      some("cast(cast(id - 5 as decimal(20,0)) * 123456789012345678 as decimal(38,5))", 3) + " big",
      some("date_from_unix_date(cast(id as int))", 4) + " day",
      some("timestamp_micros(id * 1000001)", 0) + " ts",
      some("cast(timestamp_micros(id) as timestamp_ntz)", 1) + " ntz",
      some("concat('ä', id)", 2) + " text",
      some("cast(concat('x', id) as binary)", 3) + " raw",
      "id"
    )
  }

  /** A row that tells two tables of that kind apart. */
  def sums(data: DataFrame): String =
    data.selectExpr(data.columns.map(c => s"sum(hash($c)) $c").toIndexedSeq :+ "count(*)": _*).head().toString
}
