// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.methods

import scala.collection.immutable.ListMap
import scala.jdk.CollectionConverters._

import org.apache.spark.sql.{DataFrame, Row, SparkSession}
import org.sparkgap.spark.application.SparkGapError

/** What a kernel starts from. */
private[spark] sealed trait MainInput { def session: SparkSession }

private[spark] object MainInput {
  final case class Rows(name: String, data: DataFrame) extends MainInput {
    override def session: SparkSession = data.sparkSession
  }
  final case class Stored(graph: StoredGraph) extends MainInput {
    override def session: SparkSession = graph.session
  }
  final case class Nothing(session: SparkSession) extends MainInput
}

/**
 * A call of a kernel that is being put together, argument by argument, as Java has no named arguments. The methods have
 * the names of the Spec's parameters and return this request. Not thread-safe.
 *
 * @tparam R
 *   the request's own type
 * @tparam T
 *   of the result
 */
abstract class KernelRequest[R <: KernelRequest[R, T], T] private[methods] (procedure: String, input: MainInput) {
  this: R =>
  private var arguments = ListMap.empty[String, Any]

  /** `native` (the default), or `spark` for Spark's own library where it has such an algorithm. */
  def engine(word: String): R = put("engine", word)

  /** MPI ranks; by default one, or `spark.sparkgap.launch.ranks`. */
  def ranks(count: Long): R = put("ranks", count)

  /** Threads of each rank; by default the cores that Spark has / ranks. */
  def threads(count: Long): R = put("threads", count)

  /** Deadline of the whole call [s]. */
  def timeout_s(seconds: Double): R = put("timeout_s", seconds)

  /** Name of the result in `sparkgap.store`. */
  def result(name: String): R = put("result", name)

  /** Runs the kernel. Errors: SparkGapException, whose code and text say what is wrong. */
  def run(): T = made(call())

  /** The row of the call, with its phases and counts; `table` in it names the result. */
  def call(): Row = ProcedureCall(input.session, procedure, main ++ arguments)

  private[methods] def put(name: String, value: Any): R = {
    if (input.isInstanceOf[MainInput.Stored] && KernelRequest.OfTheBuild(name))
      SparkGapError.refuse(name, "nothing beside a graph, which was built with its own", s"'$value'",
        "Do leave it out")
    arguments += name -> (value match {
      case list: java.util.Collection[_] => list.asScala.toSeq
      case other => other
    })
    this
  }

  /** Those that are given. */
  private[methods] def passed(all: (String, Any)*): R = {
    all.foreach {
      case (name, value: Given[_]) => value.option.foreach(put(name, _))
      case (name, value) => put(name, value)
    }
    this
  }

  private[methods] def made(row: Row): T

  private[methods] def table(row: Row): DataFrame = input.session.table(row.getAs[String]("table"))

  private[methods] def graph(row: Row): StoredGraph = StoredGraph(input.session, row.getAs[String]("table"))

  private def main: Seq[(String, Any)] = input match {
    case MainInput.Rows(name, data) => Seq(name -> data)
    case MainInput.Stored(graph) => Seq("graph" -> graph.exactName)
    case MainInput.Nothing(_) => Seq.empty
  }
}

private object KernelRequest {
  private val OfTheBuild = Set("src", "dst", "vertices", "directed")
}
