// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.methods

import org.apache.spark.sql.{DataFrame, Row, SparkSession}

/** `data.sparkgap`: the kernels on graphs take `data` as edges, one row each; `ml` and `tensor` as rows and entries. */
final class FrameMethods private[spark] (data: DataFrame) extends GraphMethods {
  override private[methods] def edges: DataFrame = data

  /** The kernels that learn from rows. */
  def ml: MlMethods = new MlMethods { override private[methods] def data: DataFrame = FrameMethods.this.data }

  /** The kernels on sparse tensors. */
  def tensor: TensorMethods =
    new TensorMethods { override private[methods] def data: DataFrame = FrameMethods.this.data }

  /** Runs a vertex program of your own, compiled by `sparkgap cxx`; its `run` gives the result. */
  def program(path: String): VertexProgram = new VertexProgram(path, MainInput.Rows("edges", data))

  /**
   * Gives the rows a name under which every application of this user on this host reads them in place.
   *
   * @param durable
   *   a folder of any Hadoop file system, where the rows are copied as Parquet beside everything else, and read from
   *   when this host has lost them
   */
  def publish(name: String, durable: Given[String] = Given.none): Edition =
    Edition.publish(data.sparkSession, data, name, durable)

  /**
   * The row of a call by the kernel's name, with its phases and counts; `table` in it names the result. Arguments go by
   * name: other tables as DataFrames or by name, ids as a Seq, None as null.
   */
  def call(kernel: String, arguments: (String, Any)*): Row =
    ProcedureCall(data.sparkSession, s"graph.$kernel", ("edges" -> data) +: arguments)
}

/** `session.sparkgap`: what starts from no DataFrame. */
final class SessionMethods private[spark] (session: SparkSession) extends GraphMakers {
  override private[methods] def spark: SparkSession = session

  /** The stored graph of that name, of this application or `published.<name>`. Errors: code 2 if there is none. */
  def graph(name: String): StoredGraph = StoredGraph.of(session, name)

  /** A run of any program, with MPI or without: give it arguments and tables, then `run`. */
  def program(path: String): MpiProgram = new MpiProgram(session, path)
}
