// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.peers

import org.apache.spark.graphx.lib.TriangleCount
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.sparkgap.spark.kernel.{EngineOutcome, SparkEngine}

/**
 * Triangles through each vertex by GraphX, the graph taken as undirected and simple: direction, repeated edges and
 * self-loops do not matter.
 *
 * GraphX counts in 32 bits: a vertex must not have 2^30 triangles or more.
 */
private[peers] object GraphxTriangles extends SparkEngine {
  override def run(session: SparkSession, inputs: Map[String, DataFrame], parameters: Map[String, Any]): EngineOutcome =
    GraphxRun(inputs, parameters, bothWays = false)(_.edges) { run =>
      // What graph.triangleCount() does, but for a graph that it caches on the way and forgets.
      val simple = run.graph.mapEdges(_ => true).removeSelfEdges().convertToCanonicalEdges()
      run.outcome(TriangleCount.runPreCanonicalized(simple).mapVertices((_, n) => n.toLong), "count",
        iterations = Some(0))
    }
}
