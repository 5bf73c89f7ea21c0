// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.peers

import org.apache.spark.graphx.{EdgeDirection, Pregel}
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.sparkgap.spark.kernel.{EngineOutcome, SparkEngine}

/**
 * Shortest paths from one source by GraphX: Bellman and Ford's relaxations, from the vertices that came nearer in the
 * last step only.
 *
 * distance: the smallest sum of weights (1 each where there are none) along the edges; out of reach infinity.
 */
private[peers] object GraphxSssp extends SparkEngine {
  override def run(
      session: SparkSession, inputs: Map[String, DataFrame], parameters: Map[String, Any]): EngineOutcome = {
    val weight = Option(parameters("weight")).map(_.toString)
    weight.foreach(GraphInput.refuseWeights("edges", inputs("edges"), _))
    def edges(names: GraphNames) = weight.fold(names.edges.map(_.copy(attr = 1.0)))(names.weighted)
    GraphxRun(inputs, parameters, bothWays = !parameters("directed").asInstanceOf[Boolean])(edges) { run =>
      val source = run.vertex("source", parameters("source").asInstanceOf[String])
      val distances = Pregel(run.graph.mapVertices((id, _) => if (id == source) 0.0 else Double.PositiveInfinity),
        Double.PositiveInfinity, activeDirection = EdgeDirection.Out)(
        (_, distance, told) => math.min(distance, told),
        edge =>
          if (edge.srcAttr + edge.attr < edge.dstAttr) Iterator((edge.dstId, edge.srcAttr + edge.attr))
          else Iterator.empty,
        (a, b) => math.min(a, b)
      )
      run.outcome(distances, "distance", iterations = None)
    }
  }
}
