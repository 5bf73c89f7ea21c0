// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.published

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import org.sparkgap.spark.application.SparkGapError
import org.sparkgap.spark.call.RowsProcedure
import org.sparkgap.spark.segments.{Homes, Tier}
import org.sparkgap.spark.table.{PublishedName, StoreTable}
import org.sparkgap.store.{GraphFiles, Manifest, SparkGapException}

/** Graphs that `sparkgap.graph.build` left in the store: tables of vertices with arcs beside. */
private[spark] object StoredGraphs {
  private val Schema = new StructType().add("name", StringType, nullable = false).add("vertices", LongType,
    nullable = false).add("edges", LongType, nullable = false)
    .add("directed", BooleanType, nullable = false).add("weight", StringType).add("bytes", LongType,
      nullable = false).add("tier", StringType, nullable = false)

  /** `CALL sparkgap.graph.graphs()`. */
  val Procedure: RowsProcedure =
    new RowsProcedure("graphs", "The stored graphs of this application and the published ones.", Seq.empty, Schema)(_ =>
      rows())

  /** The graph of that name, plain or qualified. Errors: code 2 if there is none. */
  def load(input: String, name: String): Manifest = find(name).getOrElse {
    if (StoreTable.isExact(name)) SparkGapError.refuse(input,
      s"a graph '${StoreTable.plainOf(name)}', the one that was built", StoreTable.instead(name), "Do build it again")
    val known = all.map(_._1)
    throw new SparkGapException(
      SparkGapException.ARGUMENTS,
      input,
      s"a graph '$name'",
      if (known.isEmpty) "none in the store" else s"only ${known.take(10).mkString(", ")}",
      "Do CALL sparkgap.graph.build(edges => ..., name => ...) first"
    )
  }

  /**
   * Resolves a name that may be an edge table or a graph: the user's own tables and views go first.
   */
  def named(session: SparkSession, name: String): Option[Manifest] =
    find(name).filter(_ =>
      StoreTable.isExact(name) || StoreTable.isQualified(name) || PublishedName.plain(
        name).isDefined || !session.catalog.tableExists(name))

  /** Errors: code 2 if the weights have another name, or there are none. */
  def checkWeight(manifest: Manifest, weight: String): Unit = {
    val built = manifest.graph.weight
    if (weight != null && weight != built) {
      SparkGapError.refuse(
        "weight",
        if (built == null) "a graph that was built with weights"
        else s"'$built', the weights that graph '${manifest.name}' was built with",
        if (built == null) "one without" else s"'$weight'",
        "Do build it with that column as weight, or leave weight out"
      )
    }
  }

  /** The graph that a job made, with facts that only the call knows. */
  def describe(made: GraphFiles, weight: String, edges: Long): GraphFiles =
    new GraphFiles(made.directed, weight, edges, made.in, made.out)

  private def find(name: String): Option[Manifest] = PublishedName.plain(name).fold(
    StoreTable.own(StoreTable.plain(name)).map(_.manifest))(Published.find).filter(_.graph != null)

  /** Our own graphs and published ones, each under the name that finds it. */
  private def all: Seq[(String, Manifest)] = {
    val published = Published.tables()
    Homes().tables().list.asScala.toSeq.flatMap(name => find(name).map(name -> _)) ++
      published.list.asScala.toSeq.flatMap(name =>
        Option(published.get(name)).filter(_.graph != null).map(s"${PublishedName.Namespace}.$name" -> _))
  }

  private def rows(): Seq[InternalRow] = all.map { case (name, m) =>
    InternalRow(
      UTF8String.fromString(name),
      m.rows,
      m.graph.edges,
      m.graph.directed,
      UTF8String.fromString(m.graph.weight),
      m.bytes + m.graph.bytes,
      UTF8String.fromString(Tier.of(m.segments.get(0).path).name)
    )
  }
}
