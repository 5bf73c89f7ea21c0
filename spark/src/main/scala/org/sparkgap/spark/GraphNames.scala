// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark

import org.apache.spark.graphx.{Edge, VertexId}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.types.StringType
import org.apache.spark.storage.StorageLevel

/** A graph's vertices by numbers, as GraphX wants them: integer ids are their own, strings get one each. */
private[spark] sealed trait GraphNames {
  def edges: RDD[Edge[Int]]
  def vertices: Option[RDD[VertexId]]
  def number(id: String): Option[VertexId]
  def named(session: SparkSession, ranks: RDD[(VertexId, Double)]): DataFrame
  def release(): Unit
}

private[spark] object GraphNames {
  def of(inputs: Map[String, DataFrame], src: String, dst: String): GraphNames =
    if (inputs("edges").schema(src).dataType == StringType) new StringNames(inputs, src, dst) else new IntegerNames(inputs, src, dst)

  private def pairs(edges: DataFrame, src: String, dst: String): DataFrame =
    edges.select(col(KernelInput.quoted(src)).as("src"), col(KernelInput.quoted(dst)).as("dst"))

  private final class IntegerNames(inputs: Map[String, DataFrame], src: String, dst: String) extends GraphNames {
    override val edges: RDD[Edge[Int]] = pairs(inputs("edges"), src, dst).select(col("src").cast("bigint"), col("dst").cast("bigint"))
      .rdd.map(row => Edge(row.getLong(0), row.getLong(1), 1))

    override def vertices: Option[RDD[VertexId]] = inputs.get("vertices").map(GraphInput.ids(_, "id").rdd.map(_.getLong(0)))

    override def number(id: String): Option[VertexId] = id.trim.toLongOption

    override def named(session: SparkSession, ranks: RDD[(VertexId, Double)]): DataFrame =
      session.createDataFrame(ranks).toDF("id", "pagerank")

    override def release(): Unit = ()
  }

  private final class StringNames(inputs: Map[String, DataFrame], src: String, dst: String) extends GraphNames {
    private val session = inputs("edges").sparkSession
    private val table = inputs("edges")
    private val all = GraphInput.ids(table, src).unionAll(GraphInput.ids(table, dst))
    private val distinct = inputs.get("vertices").fold(all)(v => all.unionAll(GraphInput.ids(v, "id"))).distinct()
    // Kept, because a second evaluation could number the ids differently.
    private val numbers = distinct.rdd.map(_.getString(0)).zipWithIndex().persist(StorageLevel.MEMORY_AND_DISK)
    private val index = session.createDataFrame(numbers).toDF("name", "number")

    override lazy val edges: RDD[Edge[Int]] = {
      val from = index.toDF("src", "from")
      val to = index.toDF("dst", "to")
      pairs(table, src, dst).join(from, "src").join(to, "dst").select("from", "to").rdd.map(row => Edge(row.getLong(0), row.getLong(1), 1))
    }

    override def vertices: Option[RDD[VertexId]] = inputs.get("vertices").map(GraphInput.ids(_, "id").toDF("name").join(index, "name").select("number").rdd.map(_.getLong(0)))

    override def number(id: String): Option[VertexId] = numbers.filter(_._1 == id).map(_._2).take(1).headOption

    override def named(session: SparkSession, ranks: RDD[(VertexId, Double)]): DataFrame =
      session.createDataFrame(ranks).toDF("number", "pagerank").join(index, "number").select(col("name").as("id"), col("pagerank"))

    override def release(): Unit = numbers.unpersist(blocking = false)
  }
}
