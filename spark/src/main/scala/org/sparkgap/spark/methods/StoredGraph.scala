// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.methods

import org.apache.spark.sql.{DataFrame, SparkSession}

/**
 * A graph in the store, built once: kernels start from it without building it again.
 *
 * @param exactName
 *   which no other graph has had or will have, so that a graph of the same name is never taken for this one
 */
final class StoredGraph private (private[spark] val session: SparkSession, val name: String,
    private[methods] val exactName: String) extends StoredGraphMethods with AutoCloseable {
  override private[methods] def graph: MainInput = MainInput.Stored(this)

  private def isPublished: Boolean = name.startsWith("published.")

  /** Its name in a statement. */
  private def table: String =
    if (isPublished) s"sparkgap.published.`${name.stripPrefix("published.")}`" else exactName

  /** Its vertices: id, in_degree, out_degree, and out_weight where it has weights. */
  def vertices: DataFrame = session.table(table)

  /** Runs a vertex program of your own, compiled by `sparkgap cxx`; its `run` gives the result. */
  def program(path: String): VertexProgram = new VertexProgram(path, graph)

  /** Gives it a name under which every application of this user on this host reads it in place. */
  def publish(name: String): Edition = Edition.publish(session, exactName, name, Given.none)

  /** Removes it from the store; a published one for every application. */
  def drop(): Unit = session.sql(s"DROP TABLE IF EXISTS $table"): Unit

  /** Drops it, unless it was published: others may read that. */
  override def close(): Unit = if (!isPublished) drop()
}

object StoredGraph {

  /**
   * The graph of that name: of this application, or `published.<name>`. Errors: SparkGapException with code 2 if there
   * is none.
   */
  def of(session: SparkSession, name: String): StoredGraph = {
    val stored = if (name.startsWith("published.")) s"sparkgap.$name" else s"sparkgap.store.$name"
    apply(session, if (name.contains(".") && !name.startsWith("published.")) name else stored)
  }

  private[methods] def apply(session: SparkSession, qualified: String): StoredGraph = {
    val at = qualified.lastIndexOf('.')
    val (place, plain) = (qualified.take(at), qualified.drop(at + 1).replace("`", ""))
    val asked = if (place.endsWith("published")) s"published.$plain" else plain
    val path = ProcedureCall(session, "store.stat", Seq("name" -> asked)).getAs[String]("path")
    val folder = path.split('/').dropRight(1).last
    val exact =
      if (place.endsWith("published")) asked else s"$place.`$plain#${folder.drop(folder.lastIndexOf('.') + 1)}`"
    new StoredGraph(session, asked, exact)
  }
}
