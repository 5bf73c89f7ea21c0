// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.peers

import scala.collection.mutable

import org.apache.spark.graphx.{Graph, Pregel, VertexId}
import org.apache.spark.graphx.lib.LabelPropagation
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.sparkgap.spark.kernel.{EngineOutcome, SparkEngine}

/**
 * Communities by label propagation: each vertex takes the label that most of its neighbours have, all at once, a fixed
 * number of times.
 *
 * Each row of edges makes its two ends neighbours of each other once, whatever its direction: a pair with an edge in
 * both directions counts twice, and so does a self-loop, at its own vertex. A vertex without edges keeps its own id as
 * label. Among equally frequent labels, variant ldbc takes the smallest (strings by their UTF-8 bytes); variant graphx
 * is GraphX's own LabelPropagation, which takes any of them.
 */
private[peers] object GraphxLabelprop extends SparkEngine {
  private type Counts = mutable.Map[VertexId, Long]

  override def run(
      session: SparkSession, inputs: Map[String, DataFrame], parameters: Map[String, Any]): EngineOutcome = {
    val iterations = parameters("max_iterations").asInstanceOf[Long]
    val ldbc = parameters("variant") == "ldbc"
    GraphxRun(inputs, parameters, bothWays = false, ordered = ldbc)(_.edges) { run =>
      def own = run.graph.mapVertices((id, _) => id)
      val steps = math.min(iterations, Int.MaxValue).toInt
      // GraphX refuses to iterate zero times.
      val labels = if (steps == 0) own
      else if (ldbc) smallestOfMostFrequent(own, steps)
      else LabelPropagation.run(run.graph, steps)
      run.outcome(labels, "label", Some(iterations), areVertices = true)
    }
  }

  private def smallestOfMostFrequent(own: Graph[VertexId, Int], steps: Int): Graph[VertexId, Int] =
    Pregel[VertexId, Int, Counts](own, mutable.Map.empty, steps)(
      (_, label, counts) => if (counts.isEmpty) label else counts.minBy { case (other, n) => (-n, other) }._1,
      edge => Iterator((edge.srcId, mutable.Map(edge.dstAttr -> 1L)), (edge.dstId, mutable.Map(edge.srcAttr -> 1L))),
      (a, b) => {
        // Into the larger, so that a vertex of many neighbours costs no more than their number. No message is in use
        // elsewhere.
        val (few, many) = if (a.size < b.size) (a, b) else (b, a)
        few.foreach { case (label, n) => many(label) = many.getOrElse(label, 0L) + n }
        many
      }
    )
}
