// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark

import java.util.{List => JList}

import scala.jdk.CollectionConverters._

import org.apache.spark.graphx.{Edge, Graph, VertexId}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.storage.StorageLevel
import org.sparkgap.store.SparkGapException

/** PageRank by Spark's GraphX on the same input: fixed iterations, or until no rank changes by more than the tolerance. */
private[spark] object GraphxPagerank extends SparkEngine {
  private val Level = StorageLevel.MEMORY_AND_DISK

  override def run(session: SparkSession, inputs: Map[String, DataFrame], parameters: Map[String, Any]): EngineOutcome = {
    val sources = Option(parameters("source_ids")).map(_.asInstanceOf[JList[String]].asScala.toSeq.distinct)
    if (parameters("weight") != null) SparkEngine.refuse("pagerank", "weight", "none", s"'${parameters("weight")}'")
    if (parameters("variant") != "graphx") SparkEngine.refuse("pagerank", "variant", "graphx", s"'${parameters("variant")}'")
    sources.filter(_.length > 1).foreach(many => SparkEngine.refuse("pagerank", "source_ids", "at most one id", s"${many.length} ids"))
    val tables = inputs.toSeq
    tables.foreach { case (name, table) => GraphInput.refuseNulls(name, table) }
    val begin = System.nanoTime()
    val names = GraphNames.of(inputs, parameters("src").toString, parameters("dst").toString)
    val oneWay = names.edges
    val edges = if (parameters("directed").asInstanceOf[Boolean]) oneWay else oneWay.union(oneWay.map(e => Edge(e.dstId, e.srcId, 1)))
    val graph = names.vertices.fold(Graph.fromEdges(edges, 1, Level, Level))(v => Graph(v.map((_, 1)), edges, 1, Level, Level))
    val n = graph.vertices.count()
    graph.edges.count()
    if (n == 0) GraphInput.refuseEmpty()
    val source = sources.map(ids => ids.head).map(id => names.number(id).filter(v => !graph.vertices.filter(_._1 == v).isEmpty()).getOrElse(throw new SparkGapException(
      SparkGapException.DATA, "source_ids", "ids of the graph", s"'$id', which is none", "Do pass ids that occur in edges or vertices")))
    val rowsIn = oneWay.count()
    val built = System.nanoTime()
    val ranks = iterate(graph, parameters, source).persist(Level)
    ranks.count()
    val computeSeconds = (System.nanoTime() - built) / 1e9
    val iterations = if (parameters("tolerance") == null) Some(parameters("max_iterations").asInstanceOf[Long]) else None
    EngineOutcome(names.named(session, ranks), rowsIn, iterations, (built - begin) / 1e9, computeSeconds, () => {
      ranks.unpersist(blocking = false)
      graph.unpersist(blocking = false)
      names.release()
    })
  }

  private def iterate(graph: Graph[Int, Int], parameters: Map[String, Any], source: Option[VertexId]): RDD[(VertexId, Double)] = {
    val restart = 1 - parameters("damping").asInstanceOf[Double]
    val iterations = parameters("max_iterations").asInstanceOf[Long].toInt
    (Option(parameters("tolerance")).map(_.asInstanceOf[Double]), source) match {
      case (Some(tolerance), None) => graph.pageRank(tolerance, restart).vertices
      case (Some(tolerance), Some(id)) => graph.personalizedPageRank(id, tolerance, restart).vertices
      // GraphX refuses to iterate zero times.
      case (None, _) if iterations == 0 => graph.vertices.map { case (id, _) => (id, if (source.forall(_ == id)) 1.0 else 0.0) }
      case (None, None) => graph.staticPageRank(iterations, restart).vertices
      case (None, Some(id)) => graph.staticPersonalizedPageRank(id, iterations, restart).vertices
    }
  }
}
