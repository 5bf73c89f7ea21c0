// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.table

import scala.util.control.NonFatal

import org.sparkgap.store.{Manifest, TableStore}

/** A name that a call has for itself until its table is there. */
private[spark] final class ResultName private[table] (reserved: TableStore#Reservation, word: Option[String],
    names: ResultNames) extends AutoCloseable {
  def name: String = reserved.name

  def put(table: Manifest): Unit = {
    val asked = word.map(said => s"$name#$said")
    asked.foreach(names.asked(_, StoreTable.id(table)))
    try reserved.put(table)
    catch {
      case NonFatal(e) =>
        asked.foreach(names.forgetAsked)
        throw e
    }
  }

  override def close(): Unit = reserved.close()
}

private[spark] object ResultName {
  private[table] val Word = "(.*)#([0-9a-f]{32})".r

  def withoutWord(asked: String): String = asked match {
    case Word(name, _) => name
    case name => name
  }
}
