// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark

import org.apache.spark.sql.{DataFrame, SparkSession}

/**
 * What Spark's own library made of a kernel's input.
 *
 * @param release frees what the computation has cached; called once the result is written
 */
private[spark] final case class EngineOutcome(result: DataFrame, rowsIn: Long, iterations: Option[Long], buildSeconds: Double, computeSeconds: Double, release: () => Unit)

/** Spark's own way to compute what a kernel computes, for `engine => 'spark'`. */
private[spark] trait SparkEngine {
  /** Inputs by the Spec's name, with the needed columns only; parameters complete. Errors: code 2 for a parameter it does not know. */
  def run(session: SparkSession, inputs: Map[String, DataFrame], parameters: Map[String, Any]): EngineOutcome
}

private[spark] object SparkEngine {
  /** The kernels that Spark's library has; the only place in Scala that names kernels. */
  private val All: Map[String, SparkEngine] = Map("pagerank" -> GraphxPagerank, "degree" -> SqlDegree, "bfs" -> GraphxBfs, "sssp" -> GraphxSssp,
    "components" -> GraphxComponents, "kcore" -> GraphxKcore, "labelprop" -> GraphxLabelprop, "lcc" -> GraphxLcc, "scc" -> GraphxScc, "triangles" -> GraphxTriangles)

  /** Errors: code 2 where Spark has nothing of the kind. */
  def of(kernel: String): SparkEngine =
    All.getOrElse(kernel, Arguments.refuse("engine", s"native for $kernel (spark is there for ${All.keys.toSeq.sorted.mkString(", ")})", "'spark'", "Do leave engine out"))

  def refuse(kernel: String, parameter: String, expected: String, found: String): Nothing =
    Arguments.refuse(parameter, s"$expected with engine => 'spark'", found, s"Do leave engine out: the native $kernel does that")
}
