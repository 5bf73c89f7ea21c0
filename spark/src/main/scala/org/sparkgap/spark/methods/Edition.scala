// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.methods

import org.apache.spark.sql.{DataFrame, SparkSession}

/**
 * A table or graph that was published: `sparkgap.published.<name>`.
 *
 * @param edition
 *   counts from 1; publishing again under the name makes the next one
 * @param bytesCopied
 *   that were written for it: 0 for what the store had already
 */
final case class Edition(name: String, edition: Long, rows: Long, bytes: Long, bytesCopied: Long)(
    session: SparkSession) {

  /** Its rows, or a graph's vertices. */
  def table: DataFrame = session.table(name)
}

object Edition {

  /** Gives rows a name under which every application of this user on this host reads them in place. */
  def publish(data: DataFrame, name: String): Edition = publish(data.sparkSession, data, name, Given.none)

  /**
   * @param durable
   *   a folder of any Hadoop file system, where the rows are copied as Parquet beside everything else, and read from
   *   when this host has lost them
   */
  def publish(data: DataFrame, name: String, durable: String): Edition =
    publish(data.sparkSession, data, name, durable)

  private[methods] def publish(session: SparkSession, table: Any, name: String, durable: Given[String]): Edition = {
    val row = ProcedureCall(session, "store.publish",
      Seq("table" -> table, "name" -> name) ++ durable.option.map("durable" -> _))
    Edition(row.getAs[String]("name"), row.getAs[Long]("edition"), row.getAs[Long]("rows"), row.getAs[Long]("bytes"),
      row.getAs[Long]("bytes_copied"))(session)
  }
}
