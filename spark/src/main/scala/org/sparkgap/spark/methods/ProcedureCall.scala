// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.methods

import java.util.UUID

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.{Column, DataFrame, Row, SparkSession}
import org.apache.spark.sql.functions.{lit, typedlit}
import org.sparkgap.spark.application.{SparkGap, SparkGapError}

/** A CALL of a procedure of the catalog. Values travel beside the statement, so that no text can end a literal. */
private[spark] object ProcedureCall {

  /**
   * The first row of its result.
   *
   * @param procedure
   *   family and name, such as "graph.pagerank"
   * @param arguments
   *   by name, those that are given. DataFrames, also as values of a Map, are views for the time of the call
   */
  def apply(session: SparkSession, procedure: String, arguments: Seq[(String, Any)]): Row = {
    SparkGap.require(session)
    (procedure +: arguments.map(_._1)).find(!_.matches("[A-Za-z_][A-Za-z0-9_.]*")).foreach(name =>
      SparkGapError.refuse("call", "names of letters, digits and _", s"'$name'", "Do take them from the Spec"))
    val views = ArrayBuffer.empty[String]
    def named(value: Any): Any = value match {
      case data: DataFrame @unchecked => views += view(data); views.last
      case table: TableArgument => named(table.value)
      case map: Map[_, _] => map.map { case (name, inner) => name -> named(inner) }
      case other => other
    }
    try {
      val values = arguments.map { case (name, value) => name -> literal(name, named(value)) }
      val words = arguments.map { case (name, _) => s"$name => :$name" }.mkString(", ")
      session.sql(s"CALL ${SparkGap.CatalogName}.$procedure($words)", values.toMap).head()
    } finally views.foreach(session.catalog.dropTempView)
  }

  private def view(data: DataFrame): String = {
    val name = s"sparkgap_${UUID.randomUUID.toString.replace("-", "")}"
    // Dropping a view uncaches what has its plan. This filter is optimised away, and makes it another plan than the
    // caller's.
    data.where("true").createOrReplaceTempView(name)
    name
  }

  private def literal(name: String, value: Any): Column = value match {
    case null | None => lit(null)
    case Some(inner) => literal(name, inner)
    case text: String => lit(text)
    case number @ (_: Int | _: Long | _: Short | _: Byte | _: Boolean | _: Double | _: Float) => lit(number)
    case id: VertexId => lit(id.text)
    case list: Iterable[_] if !list.isInstanceOf[Map[_, _]] => typedlit(list.map(text).toSeq)
    case map: Map[_, _] => typedlit(map.map { case (key, inner) => key.toString -> text(inner) })
    case other => SparkGapError.refuse(name, "a string, number, boolean, Seq, Map or DataFrame",
        other.getClass.getSimpleName, "Do convert it")
  }

  private def text(element: Any): String = element match {
    case null => null
    case id: VertexId => id.text
    case other => other.toString
  }
}
