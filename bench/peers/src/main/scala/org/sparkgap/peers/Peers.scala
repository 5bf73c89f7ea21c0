// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.peers

import org.sparkgap.spark.kernel.{SparkEngine, SparkEngines}
import org.sparkgap.store.SparkGapException

/**
 * What Spark has beside the kernels: GraphX's own programs, programs on GraphX's messages where it has none, and SQL.
 */
final class Peers extends SparkEngines {
  override def byKernel: Map[String, SparkEngine] = Map(
    "pagerank" -> GraphxPagerank,
    "degree" -> SqlDegree,
    "bfs" -> GraphxBfs,
    "sssp" -> GraphxSssp,
    "components" -> GraphxComponents,
    "kcore" -> GraphxKcore,
    "labelprop" -> GraphxLabelprop,
    "lcc" -> GraphxLcc,
    "scc" -> GraphxScc,
    "triangles" -> GraphxTriangles
  )
}

private[peers] object Peers {

  /** Errors: code 2, always: what the native kernel does and GraphX does not. */
  def refuse(kernel: String, parameter: String, expected: String, found: String): Nothing =
    throw new SparkGapException(SparkGapException.ARGUMENTS, parameter, s"$expected with engine => 'spark'", found,
      s"Do leave engine out: the native $kernel does that")
}
