// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.peers

import org.apache.spark.graphx.{EdgeDirection, Pregel}
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.sparkgap.spark.kernel.{EngineOutcome, SparkEngine}

/**
 * Breadth-first search by GraphX: the vertices reached last tell their out-neighbours one hop more, until none comes
 * nearer.
 *
 * level: hops from the source along the edges; out of reach null (variant graphx) or 2^63 - 1 (variant ldbc).
 */
private[peers] object GraphxBfs extends SparkEngine {
  private val Unreached = Long.MaxValue

  override def run(session: SparkSession, inputs: Map[String, DataFrame], parameters: Map[String, Any]): EngineOutcome =
    GraphxRun(inputs, parameters, bothWays = !parameters("directed").asInstanceOf[Boolean])(_.edges) { run =>
      val source = run.vertex("source", parameters("source").asInstanceOf[String])
      val levels = Pregel(run.graph.mapVertices((id, _) => if (id == source) 0L else Unreached), Unreached,
        activeDirection = EdgeDirection.Out)(
        (_, level, told) => math.min(level, told),
        edge =>
          if (edge.srcAttr != Unreached && edge.srcAttr + 1 < edge.dstAttr) Iterator((edge.dstId, edge.srcAttr + 1))
          else Iterator.empty,
        (a, b) => math.min(a, b)
      )
      if (parameters("variant") == "ldbc") run.outcome(levels, "level", iterations = None)
      else run.outcome(levels.mapVertices((_, level) => Some(level).filter(_ != Unreached)), "level", iterations = None)
    }
}
