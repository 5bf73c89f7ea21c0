// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.peers

import scala.collection.mutable
import scala.reflect.ClassTag
import scala.reflect.runtime.universe.TypeTag

import org.apache.spark.graphx.{Edge, Graph, VertexId}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.storage.StorageLevel
import org.sparkgap.spark.kernel.EngineOutcome
import org.sparkgap.store.SparkGapException

/**
 * One run of an algorithm on GraphX: its input as a graph, and what it found as an outcome.
 *
 * GraphX's loops grow a lineage with each step; on graphs of very long paths spark.graphx.pregel.checkpointInterval
 * cuts it.
 *
 * @param inputs
 *   what the graph was made of; what the user has cached lies before it and stays
 */
private[peers] final class GraphxRun[E] private (session: SparkSession, val graph: Graph[Int, E], names: GraphNames,
    inputs: Seq[RDD[_]], rowsIn: Long, begin: Long) {
  private val built = System.nanoTime()

  /**
   * The vertex with this id. Errors: code 2 naming the parameter where no id was given, 3 where the graph has no such
   * vertex.
   */
  def vertex(parameter: String, id: String, expected: String = "an id of the graph"): VertexId = {
    if (id == null) throw new SparkGapException(SparkGapException.ARGUMENTS, parameter, expected, "nothing",
      s"Do pass $parameter => 'id'")
    names.number(id).filter(v => !graph.vertices.filter(_._1 == v).isEmpty()).getOrElse(throw new SparkGapException(
        SparkGapException.DATA, parameter, expected, s"'$id', which is none",
        "Do pass ids that occur in edges or vertices"))
  }

  /**
   * Computes each vertex's value, a column beside `id`.
   *
   * @param areVertices
   *   whether the values are vertices' numbers, which become ids
   */
  def outcome[V: TypeTag](
      result: Graph[V, _], column: String, iterations: Option[Long], areVertices: Boolean = false): EngineOutcome = {
    val values = result.vertices.cache()
    values.count()
    val computeSeconds = (System.nanoTime() - built) / 1e9
    val table = session.createDataFrame[(VertexId, V)](values).toDF("id", column)
    EngineOutcome(if (areVertices) names.named(table, "id", column) else names.named(table, "id"), rowsIn, iterations,
      (built - begin) / 1e9, computeSeconds, () => release(result))
  }

  /**
   * Frees what was cached between the input and these, and whatever else is kept that was made of the input: GraphX
   * caches each graph that it makes and forgets some.
   */
  private def release(results: Graph[_, _]*): Unit = {
    val seen = mutable.HashSet.from(inputs.map(_.id))
    val ahead = mutable.Stack.from[RDD[_]](session.sparkContext.getPersistentRDDs.values.filter(isMadeOfInputs))
    (graph +: results).foreach(g => ahead.push(g.vertices).push(g.edges))
    while (ahead.nonEmpty) {
      val rdd = ahead.pop()
      if (seen.add(rdd.id)) {
        if (rdd.getStorageLevel != StorageLevel.NONE) rdd.unpersist(blocking = false)
        ahead.pushAll(rdd.dependencies.map(_.rdd))
      }
    }
    names.release()
  }

  private def isMadeOfInputs(rdd: RDD[_]): Boolean = {
    val seen = mutable.HashSet.empty[Int]
    val ahead = mutable.Stack[RDD[_]](rdd)
    while (ahead.nonEmpty) {
      val next = ahead.pop()
      if (inputs.exists(_.id == next.id)) return true
      if (seen.add(next.id)) ahead.pushAll(next.dependencies.map(_.rdd))
    }
    false
  }
}

private[peers] object GraphxRun {

  /** Where graphs are kept: what has no room in memory would be computed anew in each step. */
  val Level: StorageLevel = StorageLevel.MEMORY_AND_DISK

  /**
   * Reads the graph and hands it to the body.
   *
   * @param bothWays
   *   whether each row makes an edge there and one back
   * @param ordered
   *   whether the vertices' numbers stand in the order of their ids
   * @param edges
   *   of which kind: weighted or not
   *
   * Errors: code 3 for nulls and for a graph without vertices.
   */
  def apply[E: ClassTag](inputs: Map[String, DataFrame], parameters: Map[String, Any], bothWays: Boolean,
      ordered: Boolean = false)(edges: GraphNames => RDD[Edge[E]])(
      body: GraphxRun[E] => EngineOutcome): EngineOutcome = {
    inputs.foreach { case (name, table) => GraphInput.refuseNulls(name, table) }
    val begin = System.nanoTime()
    val names = GraphNames.of(inputs, parameters("src").toString, parameters("dst").toString, ordered)
    val oneWay = edges(names)
    val vertices = names.vertices
    val all = if (bothWays) oneWay.union(oneWay.map(e => Edge(e.dstId, e.srcId, e.attr))) else oneWay
    val graph = vertices.fold(Graph.fromEdges(all, 1, Level, Level))(v => Graph(v.map((_, 1)), all, 1, Level, Level))
    val n = graph.vertices.count()
    val rowsIn = graph.edges.count() / (if (bothWays) 2 else 1)
    val run = new GraphxRun(inputs("edges").sparkSession, graph, names, oneWay +: vertices.toSeq, rowsIn, begin)
    try {
      if (n == 0) GraphInput.refuseEmpty()
      body(run)
    } catch {
      case e: Throwable =>
        run.release()
        throw e
    }
  }
}
