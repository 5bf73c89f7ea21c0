// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.peers

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.sparkgap.spark.kernel.{EngineOutcome, SparkEngine}

/**
 * Strongly connected components by GraphX; without direction each row is an edge both ways.
 *
 * component: the smallest id of the component, strings compared by their UTF-8 bytes, as in GraphxComponents. GraphX
 * goes on until every vertex has one: a chain of components that lead to each other may take it an iteration, with
 * searches of its own, for each.
 */
private[peers] object GraphxScc extends SparkEngine {
  override def run(session: SparkSession, inputs: Map[String, DataFrame], parameters: Map[String, Any]): EngineOutcome =
    GraphxRun(inputs, parameters, bothWays = !parameters("directed").asInstanceOf[Boolean], ordered = true)(_.edges) {
      run =>
        run.outcome(run.graph.stronglyConnectedComponents(Int.MaxValue), "component", iterations = None,
          areVertices = true)
    }
}
