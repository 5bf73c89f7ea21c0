// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.table

import java.util.{Set => JSet}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.util.QuotingUtils
import org.apache.spark.sql.connector.catalog.{SupportsRead, Table, TableCapability}
import org.apache.spark.sql.connector.expressions.aggregate.Aggregation
import org.apache.spark.sql.connector.read.{
  Scan,
  ScanBuilder,
  SupportsPushDownAggregates,
  SupportsPushDownRequiredColumns
}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.sparkgap.spark.application.SparkGap
import org.sparkgap.spark.columns.Types
import org.sparkgap.spark.segments.{Homes, SegmentFolders}
import org.sparkgap.store.Manifest

/** A table of the store as Spark reads it. Equal to another when both are the same segments. */
private[spark] final case class StoreTable(manifest: Manifest) extends Table with SupportsRead {
  override def name: String = StoreTable.qualified(manifest)

  override def schema: StructType = Types.spark(manifest.columns.asScala.toSeq)

  override def capabilities: JSet[TableCapability] = JSet.of(TableCapability.BATCH_READ)

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = new StoreScanBuilder(manifest)
}

private[spark] object StoreTable {
  val Namespace = "store"
  private val Prefix = s"${SparkGap.CatalogName}.$Namespace."

  def qualified(table: Manifest): String =
    if (table.published == null) qualified(table.name) else PublishedName.qualified(table.name)

  /** As SQL and spark.table() take it: in back-ticks where it is no plain identifier. */
  def qualified(name: String): String = Prefix + QuotingUtils.quoteIfNeeded(name)

  def isQualified(name: String): Boolean = name.startsWith(Prefix)

  /** The plain name of "edges", "sparkgap.store.edges" or "sparkgap.store.`my-edges`". */
  def plain(name: String): String = unquoted(name.stripPrefix(Prefix))

  /** A name without the back-ticks around it. */
  def unquoted(name: String): String =
    if (name.length > 2 && name.startsWith("`") && name.endsWith("`")) name.substring(1, name.length - 1) else name

  /**
   * The table of this application that has the plain name now; of `name#id` that table alone, not another that has its
   * name now.
   */
  def own(name: String): Option[StoreTable] = named(name).map { table =>
    UnnamedResults().read(table)
    ResultLineage().read(table, name)
    StoreTable(table)
  }

  /** Distinguishes it from all other tables that ever had its name; part of its folder's name. */
  def id(table: Manifest): String =
    table.segments.asScala.headOption.fold("")(s => SegmentFolders.folderOf(s.path).split('.').last)

  /** Whether the name means one table for ever. */
  def isExact(name: String): Boolean = name.contains('#')

  private def named(name: String): Option[Manifest] = name.split("#", 2) match {
    case Array(plain, asked) =>
      val its = ResultNames().id(name).getOrElse(asked)
      Option(Homes().tables().get(plain)).filter(table =>
        id(table) == its || ResultLineage().latest(SegmentFolders.name(plain, its)).contains(table))
    case _ => Option(Homes().tables().get(name))
  }

  /** Whether there was one of this application. Its files on other hosts go a moment later. */
  def drop(name: String): Boolean = named(name).flatMap(found =>
    Option(if (isExact(name)) Homes().tables().drop(found) else Homes().tables().drop(found.name))).fold(false) {
    table =>
      UnnamedResults().forget(table.name)
      ResultNames().forget(table)
      deleteSegments(table)
      true
  }

  /** Removes the files of a table that has no name any more, or never had one. */
  def deleteSegments(table: Manifest): Unit = {
    ResultLineage().forget(table)
    SegmentFolders().of(table).foreach(SegmentFolders().end)
  }

  /** The name alone of `name#id`. */
  def plainOf(name: String): String = plain(name).split("#", 2).head

  /** The table that has the name of `name#id` now. */
  def instead(name: String): String =
    if (Homes().tables().get(plainOf(name)) == null) "that it was dropped" else "another that has its name now"
}

private[spark] final class StoreScanBuilder(manifest: Manifest) extends ScanBuilder with SupportsPushDownRequiredColumns
    with SupportsPushDownAggregates {
  private var asked = Types.spark(manifest.columns.asScala.toSeq)
  private var counts = Option.empty[Int]

  /** Whole columns: Spark asks for single fields of structs too, which cost nothing here until they are read. */
  override def pruneColumns(required: StructType): Unit = {
    val types = Types.spark(manifest.columns.asScala.toSeq)
    asked = StructType(required.map(field => types(field.name)))
  }

  override def supportCompletePushDown(aggregation: Aggregation): Boolean = StoreCount.asked(aggregation).isDefined

  override def pushAggregation(aggregation: Aggregation): Boolean = {
    counts = StoreCount.asked(aggregation)
    counts.isDefined
  }

  override def build(): Scan = counts.fold[Scan](StoreScan(manifest, asked))(StoreCount(manifest, _))
}
