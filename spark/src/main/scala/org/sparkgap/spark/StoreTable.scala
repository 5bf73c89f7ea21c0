// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark

import java.util.{Set => JSet}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.connector.catalog.{SupportsRead, Table, TableCapability}
import org.apache.spark.sql.connector.expressions.aggregate.Aggregation
import org.apache.spark.sql.connector.read.{Scan, ScanBuilder, SupportsPushDownAggregates, SupportsPushDownRequiredColumns}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.sparkgap.store.{Manifest, SegmentInfo, SparkGapException}

/** A table of the store as Spark reads it. Equal to another when both are the same segments. */
private[spark] final case class StoreTable(manifest: Manifest) extends Table with SupportsRead {
  override def name: String = StoreTable.qualified(manifest)

  override def schema: StructType = Types.spark(manifest.columns.asScala.toSeq)

  override def capabilities: JSet[TableCapability] = JSet.of(TableCapability.BATCH_READ)

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = new StoreScanBuilder(manifest)
}

private[spark] object StoreTable {
  val Namespace = "store"

  def qualified(table: Manifest): String = if (table.published == null) qualified(table.name) else Published.qualified(table.name)

  def qualified(name: String): String = s"${SparkGapPlugin.CatalogName}.$Namespace.$name"

  /** The plain name of "edges" or "sparkgap.store.edges". */
  def plain(name: String): String = name.stripPrefix(s"${SparkGapPlugin.CatalogName}.$Namespace.")

  /** Errors: code 2 where there is none of that name. */
  def load(name: String): StoreTable = find(name).getOrElse(throw missing(name))

  def find(name: String): Option[StoreTable] = Published.plain(name).fold(Option(Homes.tables().get(plain(name))))(Published.find).map(StoreTable(_))

  /** Whether there was one of this application. Its files on other hosts go a moment later. */
  def drop(name: String): Boolean = {
    val tables = Homes.tables()
    ResultLineage.forget(name)
    Option(tables.get(name)).foreach(segments(_).foreach(all => RemoteFiles.drop(all)))
    tables.drop(name)
  }

  /** Removes the files of a table that has no name any more, or never had one. */
  def deleteSegments(table: Manifest): Unit = segments(table).foreach { some =>
    Homes.tables().deleteSegments(some.asJava)
    RemoteFiles.drop(some)
  }

  private def segments(table: Manifest): Seq[Seq[SegmentInfo]] = table.segments.asScala.toSeq +: Option(table.graph).map(_.segments.asScala.toSeq).toSeq

  def missing(name: String): SparkGapException = {
    val published = Published.plain(name).isDefined
    val known = if (published) Published.tables().list.asScala else Homes.tables().list.asScala
    new SparkGapException(SparkGapException.ARGUMENTS, s"table '$name'", "a table of the store",
      if (known.isEmpty) (if (published) "nothing published" else "an empty store") else s"only ${known.take(10).mkString(", ")}",
      if (published) "Do CALL sparkgap.store.publish(table => 'name', name => 'name') first" else "Do write it first with df.write.format(\"sparkgap\").save(name)")
  }
}

private[spark] final class StoreScanBuilder(manifest: Manifest) extends ScanBuilder with SupportsPushDownRequiredColumns with SupportsPushDownAggregates {
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
