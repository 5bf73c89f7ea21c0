// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.methods

import org.apache.spark.sql.{DataFrame, Row}

/**
 * A call of a vertex program of your own (docs/vertex-programs.md), compiled by `sparkgap cxx`. Arguments that every
 * graph kernel has are methods; what the program itself declares goes to `parameter`.
 */
final class VertexProgram private[methods] (path: String, input: MainInput)
    extends KernelRequest[VertexProgram, DataFrame]("graph.run", input) {
  private var own = Map.empty[String, String]
  put("program", path)

  /** Column of the edges with the ids that they leave; default `src`. */
  def src(column: String): VertexProgram = put("src", column)

  /** Column of the edges with the ids that they enter; default `dst`. */
  def dst(column: String): VertexProgram = put("dst", column)

  /** Column of weights. */
  def weight(column: String): VertexProgram = put("weight", column)

  /** Whether edges have a direction; if not, each row stands for both. */
  def directed(isDirected: Boolean): VertexProgram = put("directed", isDirected)

  /** Vertices that are in the result even without edges: a column id. */
  def vertices(data: DataFrame): VertexProgram = put("vertices", data)

  /** Rounds at most. */
  def max_iterations(count: Long): VertexProgram = put("max_iterations", count)

  /** A parameter that the program declares. */
  def parameter(name: String, value: Any): VertexProgram = {
    own += name -> String.valueOf(value)
    put("parameters", own)
  }

  override private[methods] def made(row: Row): DataFrame = table(row)
}
