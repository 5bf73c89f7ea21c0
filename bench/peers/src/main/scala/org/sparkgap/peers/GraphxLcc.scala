// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.peers

import java.util.Arrays

import org.apache.spark.graphx.{Edge, Graph, VertexId}
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.sparkgap.spark.kernel.{EngineOutcome, SparkEngine}

/**
 * Local clustering coefficients by LDBC Graphalytics' definition; GraphX has none, so its messages carry them.
 *
 * lcc(v) = arcs between members of N(v) / (d (d - 1)), N(v) = v's neighbours in either direction, each once and without
 * v, d = |N(v)|; 0 where d < 2. Undirected, each edge is an arc in both directions. Self-loops and repeated edges do
 * not matter.
 */
private[peers] object GraphxLcc extends SparkEngine {

  /** Sorted. @param all the vertices joined with one by an arc @param out those where the arc leads */
  private final case class Neighbours(all: Array[VertexId], out: Array[VertexId])

  override def run(
      session: SparkSession, inputs: Map[String, DataFrame], parameters: Map[String, Any]): EngineOutcome = {
    val directed = parameters("directed").asInstanceOf[Boolean]
    GraphxRun(inputs, parameters, bothWays = false)(_.edges) { run =>
      val simple = neighbourhoods(run.graph, directed)
      // Each edge (u, v) brings u the arcs from v into u's neighbourhood, and v those from u; each arc comes once, by
      // its tail.
      val arcs = simple.aggregateMessages[Long](edge => {
          edge.sendToSrc(shared(edge.dstAttr.out, edge.srcAttr.all))
          edge.sendToDst(shared(edge.srcAttr.out, edge.dstAttr.all))
        }, _ + _)
      val coefficients = simple.outerJoinVertices(arcs)((_, neighbours, found) => {
        val d = neighbours.all.length.toDouble
        if (d < 2) 0.0 else found.getOrElse(0L) / (d * (d - 1))
      })
      run.outcome(coefficients, "lcc", iterations = Some(0))
    }
  }

  /** The same vertices with their neighbours, and one edge for each pair that is joined. */
  private def neighbourhoods(graph: Graph[Int, Int], directed: Boolean): Graph[Neighbours, Unit] = {
    val ends = graph.edges.filter(e => e.srcId != e.dstId).flatMap(e =>
      Iterator((e.srcId, (e.dstId, true)), (e.dstId, (e.srcId, !directed)))).groupByKey()
    val neighbours = graph.vertices.leftJoin(ends)((_, _, found) => {
      val ids = found.getOrElse(Iterable.empty)
      Neighbours(sorted(ids.map(_._1)), sorted(ids.collect { case (id, true) => id }))
    }).cache()
    val pairs = neighbours.flatMap { case (id, n) => n.all.iterator.filter(_ > id).map(Edge(id, _, ())) }
    Graph[Neighbours, Unit](neighbours, pairs, edgeStorageLevel = GraphxRun.Level, vertexStorageLevel = GraphxRun.Level)
  }

  private def sorted(ids: Iterable[VertexId]): Array[VertexId] = ids.toArray.distinct.sorted

  /** How many are in both. */
  private def shared(a: Array[VertexId], b: Array[VertexId]): Long = {
    val (few, many) = if (a.length < b.length) (a, b) else (b, a)
    few.count(id => Arrays.binarySearch(many, id) >= 0).toLong
  }
}
