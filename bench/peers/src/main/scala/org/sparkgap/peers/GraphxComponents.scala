// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.peers

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.sparkgap.spark.kernel.{EngineOutcome, SparkEngine}

/**
 * Weakly connected components by GraphX; the direction of edges does not matter.
 *
 * component: the smallest id of the component, strings compared by their UTF-8 bytes. GraphX finds the smallest number,
 * which is that of the smallest id because strings are numbered in their order.
 */
private[peers] object GraphxComponents extends SparkEngine {
  override def run(session: SparkSession, inputs: Map[String, DataFrame], parameters: Map[String, Any]): EngineOutcome =
    GraphxRun(inputs, parameters, bothWays = false, ordered = true)(_.edges)(run =>
      run.outcome(run.graph.connectedComponents(), "component", iterations = None, areVertices = true))
}
