// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.peers

import org.apache.spark.graphx.{EdgeTriplet, Pregel, VertexId}
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.sparkgap.spark.kernel.{EngineOutcome, SparkEngine}

/**
 * Core numbers; GraphX has none, so its messages carry them. Direction, repeated edges and self-loops do not matter.
 *
 * Each vertex holds a bound, at first the number of its neighbours, and lowers it to the largest k for which k
 * neighbours at least have bounds of k or more, until nobody's bound changes (Lü, Zhou, Zhang, Stanley 2016, The
 * H-index of a network node).
 */
private[peers] object GraphxKcore extends SparkEngine {

  /** @param core at most that @param near the bounds that the neighbours have told */
  private final case class Bound(core: Long, near: Map[VertexId, Long])

  override def run(session: SparkSession, inputs: Map[String, DataFrame], parameters: Map[String, Any]): EngineOutcome =
    GraphxRun(inputs, parameters, bothWays = false)(_.edges) { run =>
      val simple = run.graph.mapEdges(_ => true).removeSelfEdges().convertToCanonicalEdges()
      val begun =
        simple.outerJoinVertices(simple.degrees)((_, _, degree) => Bound(degree.getOrElse(0).toLong, Map.empty))
      val settled = Pregel(begun, Map.empty[VertexId, Long])(hear, tell, _ ++ _)
      run.outcome(settled.mapVertices((_, bound) => bound.core), "core", iterations = None)
    }

  private def hear(id: VertexId, bound: Bound, told: Map[VertexId, Long]): Bound =
    if (told.isEmpty) bound
    else {
      val near = bound.near ++ told
      Bound(index(near.values, bound.core), near)
    }

  /** To either end what it has not heard yet. */
  private def tell(edge: EdgeTriplet[Bound, Boolean]): Iterator[(VertexId, Map[VertexId, Long])] = {
    def news(to: VertexId, hearer: Bound, from: VertexId, core: Long) =
      if (hearer.near.get(from).contains(core)) None else Some((to, Map(from -> core)))
    news(edge.dstId, edge.dstAttr, edge.srcId, edge.srcAttr.core).iterator ++ news(edge.srcId, edge.srcAttr, edge.dstId,
      edge.dstAttr.core)
  }

  /** The largest k, at most `limit`, for which k of the values at least are k or more. */
  private def index(values: Iterable[Long], limit: Long): Long = {
    val falling = values.map(math.min(_, limit)).toArray.sorted(Ordering[Long].reverse)
    falling.indices.takeWhile(i => falling(i) > i).length.toLong
  }
}
