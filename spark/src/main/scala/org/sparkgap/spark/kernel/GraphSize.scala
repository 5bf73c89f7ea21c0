// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.kernel

/** What a stored graph will take, guessed from the number of its edges alone. */
private[spark] object GraphSize {

  /** Graphs of the benchmarks have 4 to 26 edges per vertex. */
  private val EdgesPerVertex = 4
  private val NumberBytes = 4L
  private val WeightBytes = 8L
  private val VertexBytes = 24L

  /** Bytes, rather more than it turns out to be; parameters are those of `build`. */
  def estimate(edges: Long, parameters: Map[String, Any]): Long = {
    // Both directions are kept: of directed edges as two arrays, of others because each is two arcs.
    val perEdge = 2 * (NumberBytes + (if (parameters.getOrElse("weight", null) != null) WeightBytes else 0))
    edges * perEdge + edges / EdgesPerVertex * VertexBytes
  }
}
