// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.export

import scala.jdk.CollectionConverters._

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.sparkgap.spark.application.{Conf, LocalHost}
import org.sparkgap.spark.columns.Types
import org.sparkgap.spark.segments.{Homes, OpenWrites, SegmentFolders, Tier}
import org.sparkgap.spark.table.{StorePartition, StoreReaderFactory, StoreScan}
import org.sparkgap.store.{Column, Manifest, SegmentInfo}
import org.sparkgap.store.ColumnType.Kind

/**
 * A table made of a DataFrame.
 *
 * @param bytesCopied
 *   bytes of the segments that were written, 0 where existing ones are used
 * @param copies
 *   how often each value was copied into a segment: 0 or 1
 */
private[spark] final case class Exported(manifest: Manifest, bytesCopied: Long, copies: Int)

private[spark] object Export {

  /** Writes a copy of the rows, always. Errors: code 3 for a type the store does not have, 4 where there is no room. */
  def write(data: DataFrame, name: String): Exported = {
    val columns = Types.columns(name, data.schema)
    PlanColumns.use(data, s"sparkgap: write $name") {
      case cached: PlanColumns.CachedStored => copy(data.sparkSession, cached.batches, name, columns, Tier.Memory)
      case PlanColumns.Stored(manifest) =>
        copyOf(data.sparkSession, manifest, data.schema.fieldNames.toSeq, name, columns)
      case other => copy(data.sparkSession, other, name, columns, Tier.Memory)
    }
  }

  /**
   * The rows as segments with these columns and no others: a stored or cached table's own segments if they are like
   * that, else a copy.
   */
  def whole(data: DataFrame, name: String): Exported = {
    Types.columns(name, data.schema)
    val own = borrow(data, name, Tier.Memory)
    if (own.manifest.columns.asScala.map(_.name) == data.schema.fieldNames.toSeq) own else write(data, name)
  }

  /**
   * The rows as segments for one job. If the data are stored or cached in the store already, these are the table's own
   * segments, and nothing is copied.
   *
   * @param narrow
   *   whether the job reads the types of each segment, as our kernels do: bigints that fit are then copied as ints, for
   *   half the bytes
   */
  def borrow(data: DataFrame, name: String, tier: Tier, narrow: Boolean = false): Exported = {
    val columns = Types.columns(name, Types.bare(data.schema))
    val narrowed = columns.indices.filter(i => narrow && columns(i).`type`.kind == Kind.BIGINT).toArray
    PlanColumns.use(data, s"sparkgap: export $name") {
      case PlanColumns.Stored(manifest) if !manifest.segments.isEmpty => Exported(manifest, 0, 0)
      case cached: PlanColumns.CachedStored =>
        CachedSegments.of(cached).map(segments =>
          Exported(new Manifest(name, Types.columns(name, Types.bare(cached.schema)).asJava, segments.asJava), 0, 0))
          .getOrElse(copy(data.sparkSession, cached.batches, name, columns, tier, narrowed))
      case other => copy(data.sparkSession, other, name, columns, tier, narrowed)
    }
  }

  /** A stored table written anew goes through its own scan. */
  private def copyOf(
      session: SparkSession, manifest: Manifest, names: Seq[String], name: String, columns: Seq[Column]): Exported = {
    val positions = names.map(wanted => manifest.columns.asScala.indexWhere(_.name == wanted)).toArray
    val partitions = StoreScan.partitions(manifest, session.sparkContext.defaultParallelism)
    val factory = new StoreReaderFactory(manifest, positions, Types.spark(columns))
    val tasks = if (partitions.isEmpty) session.sparkContext.emptyRDD[StorePartition]
    else session.sparkContext.makeRDD(partitions.map(p => (p, p.preferredLocations.toSeq)))
    val batches = tasks.mapPartitions(_.flatMap { partition =>
      val reader = factory.createColumnarReader(partition)
      Iterator.continually(reader.next()).takeWhile(identity).map(_ => reader.get())
    })
    copy(session, PlanColumns.Batches(batches, positions.indices.toArray), name, columns, Tier.Memory)
  }

  private def copy(session: SparkSession, source: PlanColumns, name: String, columns: Seq[Column], tier: Tier,
      narrow: Array[Int] = Array.empty): Exported = {
    val folder = SegmentFolders().begin(name)
    OpenWrites().begin(folder)
    try {
      val home = Homes().current(tier)
      val writing = new SegmentWriting(folder, columns.toArray, narrow, Conf.of(session).segmentBytes,
        home.segments(folder).toString, tier)
      val segments = source match {
        case PlanColumns.Cached(rdd, schema, positions) => run(rdd, new CachedTask(writing, schema, positions))
        case PlanColumns.Batches(rdd, ordinals) => run(rdd, new BatchTask(writing, ordinals))
        case PlanColumns.Rows(rdd) => run(rdd, new RowTask(writing))
        case PlanColumns.Stored(_) | _: PlanColumns.CachedStored => Seq.empty
      }
      val all = if (segments.nonEmpty) segments else writing.empty(home.segments(folder), LocalHost.name)
      SegmentFolders().settle(folder, all, OpenWrites().end(folder))
      val manifest = new Manifest(name, columns.asJava, all.asJava)
      Exported(manifest, manifest.bytes, 1)
    } catch {
      case e: Throwable =>
        OpenWrites().end(folder)
        SegmentFolders().end(folder)
        throw e
    }
  }

  private def run[T](rdd: RDD[T], task: ExportTask[T]): Seq[SegmentInfo] =
    rdd.sparkContext.runJob(rdd, task).toSeq.flatten.map { case (host, path, rows, bytes, crc) =>
      new SegmentInfo(host, path, rows, bytes, crc)
    }
}
