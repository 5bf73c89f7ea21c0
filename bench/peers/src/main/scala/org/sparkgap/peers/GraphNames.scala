// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.peers

import org.apache.spark.graphx.{Edge, VertexId}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.{Column, DataFrame}
import org.apache.spark.sql.catalyst.util.QuotingUtils
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.types.StringType
import org.apache.spark.storage.StorageLevel

/** A graph's vertices by numbers, as GraphX wants them: integer ids are their own, strings get one each. */
private[peers] sealed trait GraphNames {

  /** One edge for each row of `edges`. */
  final def edges: RDD[Edge[Int]] = numbered().rdd.map(row => Edge(row.getLong(0), row.getLong(1), 1))

  /** The same with a column's numbers as weights. */
  final def weighted(column: String): RDD[Edge[Double]] =
    numbered(col(QuotingUtils.quoteIdentifier(column)).cast("double").as("weight")).rdd.map(row =>
      Edge(row.getLong(0), row.getLong(1), row.getDouble(2)))

  def vertices: Option[RDD[VertexId]]
  def number(id: String): Option[VertexId]

  /** The table with ids in these columns, where it has vertices' numbers. */
  def named(table: DataFrame, columns: String*): DataFrame
  def release(): Unit

  /** The rows of `edges`: source and destination as numbers, then the columns asked for. */
  protected def numbered(more: Column*): DataFrame
}

private[peers] object GraphNames {

  /**
   * @param ordered
   *   whether the strings' numbers stand in the order of the strings (of their UTF-8 bytes), which takes a sort
   */
  def of(inputs: Map[String, DataFrame], src: String, dst: String, ordered: Boolean): GraphNames =
    if (inputs("edges").schema(src).dataType == StringType) new StringNames(inputs, src, dst, ordered)
    else new IntegerNames(inputs, src, dst)

  private def id(column: String): Column = col(QuotingUtils.quoteIdentifier(column))

  private final class IntegerNames(inputs: Map[String, DataFrame], src: String, dst: String) extends GraphNames {
    override protected def numbered(more: Column*): DataFrame =
      inputs("edges").select(id(src).cast("bigint") +: id(dst).cast("bigint") +: more: _*)

    override def vertices: Option[RDD[VertexId]] =
      inputs.get("vertices").map(GraphInput.ids(_, "id").rdd.map(_.getLong(0)))

    override def number(id: String): Option[VertexId] = id.trim.toLongOption

    override def named(table: DataFrame, columns: String*): DataFrame = table

    override def release(): Unit = ()
  }

  private final class StringNames(
      inputs: Map[String, DataFrame], src: String, dst: String, ordered: Boolean) extends GraphNames {
    private val table = inputs("edges")
    private val all = GraphInput.ids(table, src).unionAll(GraphInput.ids(table, dst))
    private val distinct = inputs.get("vertices").fold(all)(v => all.unionAll(GraphInput.ids(v, "id"))).distinct()
    // Kept, because a second evaluation could number the ids differently.
    private val numbers = (if (ordered) distinct.sort("id") else distinct).rdd.map(
      _.getString(0)).zipWithIndex().persist(StorageLevel.MEMORY_AND_DISK)
    private val index = table.sparkSession.createDataFrame(numbers).toDF("name", "number")

    override protected def numbered(more: Column*): DataFrame = {
      val columns = table.select(id(src).as("src") +: id(dst).as("dst") +: more: _*)
      val rest = columns.columns.toSeq.drop(2).map(col)
      columns.join(index.toDF("src", "from"), "src").join(index.toDF("dst", "to"), "dst").select(
        col("from") +: col("to") +: rest: _*)
    }

    override def vertices: Option[RDD[VertexId]] = inputs.get("vertices").map(GraphInput.ids(_, "id").toDF("name").join(
        index, "name").select("number").rdd.map(_.getLong(0)))

    override def number(id: String): Option[VertexId] = numbers.filter(_._1 == id).map(_._2).take(1).headOption

    override def named(table: DataFrame, columns: String*): DataFrame =
      columns.foldLeft(table)((t, column) =>
        t.withColumnRenamed(column, "number").join(index, "number").drop("number").withColumnRenamed("name", column))
        .select(table.columns.map(col).toSeq: _*)

    override def release(): Unit = numbers.unpersist(blocking = false)
  }
}
