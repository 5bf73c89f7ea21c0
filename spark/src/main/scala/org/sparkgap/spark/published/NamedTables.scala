// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.published

import scala.jdk.CollectionConverters._

import org.sparkgap.spark.segments.Homes
import org.sparkgap.spark.table.{PublishedName, StoreTable}
import org.sparkgap.store.SparkGapException

/** Tables by the names that people give: those of this application and published ones. */
private[spark] object NamedTables {

  /** Errors: code 2 where there is none of that name. */
  def load(name: String): StoreTable = find(name).getOrElse(throw missing(name))

  def find(name: String): Option[StoreTable] =
    PublishedName.plain(name).fold(StoreTable.own(StoreTable.plain(name)))(Published.find(_).map(StoreTable(_)))

  def missing(name: String): SparkGapException = if (StoreTable.isExact(name)) replaced(StoreTable.plain(name))
  else {
    val published = PublishedName.plain(name).isDefined
    val known = if (published) Published.tables().list.asScala else Homes().tables().list.asScala
    new SparkGapException(
      SparkGapException.ARGUMENTS,
      s"table '$name'",
      "a table of the store",
      if (known.isEmpty) (if (published) "nothing published" else "an empty store")
      else s"only ${known.take(10).mkString(", ")}",
      if (published) "Do CALL sparkgap.store.publish(table => 'name', name => 'name') first"
      else "Do write it first with df.write.format(\"sparkgap\").save(name)"
    )
  }

  private def replaced(name: String): SparkGapException =
    new SparkGapException(SparkGapException.DATA, s"table '${StoreTable.plainOf(name)}'",
      "the one that this was made from", StoreTable.instead(name), "Do make it again")
}
