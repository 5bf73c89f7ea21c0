// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.peers

import java.util.{Map => JMap}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.SparkSession

/**
 * What GraphX finds, as its own program would have it: nothing of sparkgap holds the result, and what dies with an
 * executor comes back by Spark's lineage. The lab measures Spark by it.
 */
object GraphxResult {
  private val Defaults: Map[String, Any] = Map("src" -> "src", "dst" -> "dst", "weight" -> null, "directed" -> true,
    "variant" -> "graphx", "damping" -> 0.85, "tolerance" -> null, "source_ids" -> null)

  /**
   * A kernel's counterpart on the view `edges`, which has columns `src` and `dst`, with its parameters where they are
   * not the kernel's defaults. The result is the view `result`; the answer has the seconds by part.
   */
  def named(kernel: String, edges: String, options: JMap[String, Any], result: String): JMap[String, Double] = {
    val session = SparkSession.active
    val parameters = options.asScala.map {
      case (name, whole: Integer) => name -> whole.longValue
      case other => other
    }
    val outcome =
      new Peers().byKernel(kernel).run(session, Map("edges" -> session.table(edges)), Defaults ++ parameters)
    outcome.result.createOrReplaceTempView(result)
    Map("build_s" -> outcome.buildSeconds, "compute_s" -> outcome.computeSeconds).asJava
  }
}
