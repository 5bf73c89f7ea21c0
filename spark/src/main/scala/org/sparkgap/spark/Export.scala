// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark

import java.nio.file.{Path, Paths}
import java.util.concurrent.atomic.AtomicLong

import scala.jdk.CollectionConverters._

import org.apache.spark.{SparkEnv, TaskContext}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.sparkgap.store.{Column, ColumnType, Manifest, SegmentInfo, SegmentWriter}

/**
 * A table made of a DataFrame.
 *
 * @param bytesCopied bytes of the segments that were written, 0 where existing ones are used
 * @param copies how often each value was copied into a segment: 0 or 1
 */
private[spark] final case class Exported(manifest: Manifest, bytesCopied: Long, copies: Int)

private[spark] object Export {
  private val numbers = new AtomicLong

  /** Writes a copy of the rows, always. Errors: code 3 for a type the store does not have, 4 where there is no room. */
  def write(data: DataFrame, name: String): Exported = {
    val columns = Types.columns(name, data.schema)
    PlanColumns.use(data, s"sparkgap: write $name") {
      case PlanColumns.Stored(manifest) => copyOf(data.sparkSession, manifest, data.schema.fieldNames.toSeq, name, columns)
      case other => copy(data.sparkSession, other, name, columns, Tier.Memory)
    }
  }

  /** The rows as segments for one job: where the data are a stored table already, its own segments, and nothing is copied. */
  def borrow(data: DataFrame, name: String, tier: Tier): Exported = {
    val columns = Types.columns(name, data.schema)
    PlanColumns.use(data, s"sparkgap: export $name") {
      case PlanColumns.Stored(manifest) if !manifest.segments.isEmpty => Exported(manifest, 0, 0)
      case other => copy(data.sparkSession, other, name, columns, tier)
    }
  }

  /** A stored table written anew goes through its own scan. */
  private def copyOf(session: SparkSession, manifest: Manifest, names: Seq[String], name: String, columns: Seq[Column]): Exported = {
    val positions = names.map(wanted => manifest.columns.asScala.indexWhere(_.name == wanted)).toArray
    val partitions = StoreScan.partitions(manifest, session.sparkContext.defaultParallelism)
    val factory = new StoreReaderFactory(positions, Types.spark(columns))
    val batches = session.sparkContext.parallelize(partitions, math.max(1, partitions.length)).mapPartitions(_.flatMap { partition =>
      val reader = factory.createColumnarReader(partition)
      Iterator.continually(reader.next()).takeWhile(identity).map(_ => reader.get())
    })
    copy(session, PlanColumns.Batches(batches, positions.indices.toArray), name, columns, Tier.Memory)
  }

  private def copy(session: SparkSession, source: PlanColumns, name: String, columns: Seq[Column], tier: Tier): Exported = {
    val home = Homes.current(tier)
    val segmentBytes = Conf.of(session).segmentBytes
    val prefix = s"part-${numbers.incrementAndGet()}"
    val task = new ExportTask(name, prefix, columns.toArray, segmentBytes, home.segments(name).toString, tier)
    try {
      val segments = source match {
        case PlanColumns.Batches(rdd, ordinals) => collect(rdd.mapPartitions { batches =>
          task.write { w =>
            val copy = new ColumnCopy(ordinals, w)
            batches.foreach(copy.append)
          }
        })
        case PlanColumns.Rows(rdd) => collect(rdd.mapPartitions { rows =>
          task.write { w =>
            val copy = new RowCopy(task.types, w)
            rows.foreach(copy.append)
          }
        })
        case PlanColumns.Stored(_) => Seq.empty
      }
      val all = if (segments.nonEmpty) segments else task.empty(home.segments(name), LocalHost.name)
      val manifest = new Manifest(name, columns.asJava, all.asJava)
      Exported(manifest, manifest.bytes, 1)
    } catch {
      case e: Throwable =>
        ExportRemains.delete(home.store, name, prefix)
        throw e
    }
  }

  /** As tuples, because a session with spark.serializer=Kryo cannot carry records. */
  private def collect(written: RDD[SegmentInfo]): Seq[SegmentInfo] =
    written.map(s => (s.host, s.path, s.rows, s.bytes, s.crc32c)).collect().toSeq.map { case (host, path, rows, bytes, crc) => new SegmentInfo(host, path, rows, bytes, crc) }
}

/** What each task of an export does: writes its rows into its own process's home. */
private[spark] final class ExportTask(table: String, prefix: String, columns: Array[Column], segmentBytes: Long, driverDirectory: String, tier: Tier) extends Serializable {
  def types: Array[ColumnType] = columns.map(_.`type`)

  /** No segment where no row came. However the body ends, either all segments are there or none. */
  def write(body: SegmentWriter => Unit): Iterator[SegmentInfo] = {
    val context = TaskContext.get()
    val env = SparkEnv.get
    // In local mode the task runs in the driver's process, whose home need not be found again under another class loader.
    val directory = if (env.executorId == "driver") Paths.get(driverDirectory) else Homes.current(tier).segments(table)
    val name = f"$prefix-${context.partitionId()}%05d-${context.taskAttemptId()}"
    run(directory, name, env.blockManager.blockManagerId.host, evenEmpty = false) { writer =>
      body(writer)
      if (context.isInterrupted()) throw new InterruptedException("the task was killed")
    }.iterator
  }

  /** One segment without rows, for a table that has none. */
  def empty(directory: Path, host: String): Seq[SegmentInfo] = run(directory, s"$prefix-empty", host, evenEmpty = true)(_ => ())

  private def run(directory: Path, name: String, host: String, evenEmpty: Boolean)(body: SegmentWriter => Unit): Seq[SegmentInfo] = {
    val writer = new SegmentWriter(directory, name, host, columns.toSeq.asJava, segmentBytes)
    try {
      body(writer)
      writer.finish(evenEmpty).asScala.toSeq
    } finally {
      writer.close()
    }
  }
}
