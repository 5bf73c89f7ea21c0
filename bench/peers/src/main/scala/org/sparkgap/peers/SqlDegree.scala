// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.peers

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.functions.{col, count, lit, sum}
import org.apache.spark.storage.StorageLevel
import org.sparkgap.spark.kernel.{EngineOutcome, SparkEngine}

/**
 * Degrees by Spark SQL: every edge counts once out of its source and once into its destination; undirected, also the
 * other way.
 */
private[peers] object SqlDegree extends SparkEngine {
  override def run(
      session: SparkSession, inputs: Map[String, DataFrame], parameters: Map[String, Any]): EngineOutcome = {
    val begin = System.nanoTime()
    val src = parameters("src").toString
    val dst = parameters("dst").toString
    val directed = parameters("directed").asInstanceOf[Boolean]
    val edges = inputs("edges")
    GraphInput.refuseNulls("edges", edges)
    inputs.get("vertices").foreach(GraphInput.refuseNulls("vertices", _))
    def end(column: String, in: Int, out: Int): DataFrame =
      GraphInput.ids(edges, column).select(col("id"), lit(in).cast("bigint").as("i"), lit(out).cast("bigint").as("o"))
    val ends = end(src, 0, 1).unionAll(end(dst, 1, 0))
    val both = if (directed) ends else ends.unionAll(end(src, 1, 0)).unionAll(end(dst, 0, 1))
    val all = inputs.get("vertices").fold(both)(v =>
      both.unionAll(GraphInput.ids(v, "id").select(col("id"), lit(0L).as("i"), lit(0L).as("o"))))
    val result = all.groupBy("id").agg(sum("i").as("in_degree"), sum("o").as("out_degree"))
      .select(col("id"), col("in_degree"), col("out_degree"),
        (col("in_degree") + col("out_degree")).as("degree")).persist(StorageLevel.MEMORY_AND_DISK)
    val vertices = result.count()
    if (vertices == 0) GraphInput.refuseEmpty()
    val rows = edges.agg(count(lit(1))).head().getLong(0)
    EngineOutcome(result, rows, Some(0), 0, (System.nanoTime() - begin) / 1e9, () => result.unpersist(blocking = false))
  }
}
