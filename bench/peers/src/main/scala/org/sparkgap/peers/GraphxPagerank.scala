// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.peers

import java.util.{List => JList}

import scala.jdk.CollectionConverters._

import org.apache.spark.graphx.{Graph, VertexId}
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.sparkgap.spark.kernel.{EngineOutcome, SparkEngine}

/**
 * PageRank by Spark's GraphX on the same input: fixed iterations, or until no rank changes by more than the tolerance.
 */
private[peers] object GraphxPagerank extends SparkEngine {
  override def run(
      session: SparkSession, inputs: Map[String, DataFrame], parameters: Map[String, Any]): EngineOutcome = {
    val sources = Option(parameters("source_ids")).map(_.asInstanceOf[JList[String]].asScala.toSeq.distinct)
    if (parameters("weight") != null) Peers.refuse("pagerank", "weight", "none", s"'${parameters("weight")}'")
    if (parameters("variant") != "graphx") Peers.refuse("pagerank", "variant", "graphx", s"'${parameters("variant")}'")
    sources.filter(_.length > 1).foreach(many =>
      Peers.refuse("pagerank", "source_ids", "at most one id", s"${many.length} ids"))
    GraphxRun(inputs, parameters, bothWays = !parameters("directed").asInstanceOf[Boolean])(_.edges) { run =>
      val source = sources.map(ids => run.vertex("source_ids", ids.head, "ids of the graph"))
      val iterations =
        if (parameters("tolerance") == null) Some(parameters("max_iterations").asInstanceOf[Long]) else None
      run.outcome(iterate(run.graph, parameters, source), "pagerank", iterations)
    }
  }

  private def iterate(
      graph: Graph[Int, Int], parameters: Map[String, Any], source: Option[VertexId]): Graph[Double, _] = {
    val restart = 1 - parameters("damping").asInstanceOf[Double]
    val iterations = parameters("max_iterations").asInstanceOf[Long].toInt
    (Option(parameters("tolerance")).map(_.asInstanceOf[Double]), source) match {
      case (Some(tolerance), None) => graph.pageRank(tolerance, restart)
      case (Some(tolerance), Some(id)) => graph.personalizedPageRank(id, tolerance, restart)
      // GraphX refuses to iterate zero times.
      case (None, _) if iterations == 0 => graph.mapVertices((id, _) => if (source.forall(_ == id)) 1.0 else 0.0)
      case (None, None) => graph.staticPageRank(iterations, restart)
      case (None, Some(id)) => graph.staticPersonalizedPageRank(id, iterations, restart)
    }
  }
}
