// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.cache

import scala.collection.mutable
import scala.util.control.NonFatal

import org.apache.spark.{Partition, SparkEnv, TaskContext}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.columnar.CachedBatch
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnarBatch
import org.apache.spark.storage.{RDDBlockId, StorageLevel}
import org.slf4j.LoggerFactory
import org.sparkgap.spark.application.LocalHost
import org.sparkgap.spark.columns.MappedVector
import org.sparkgap.spark.segments.RemoteSegments
import org.sparkgap.store.{SparkGapException}

/**
 * Columns of a cached table, read where they are mapped.
 *
 * If a segment is gone (its executor died) or damaged, its block is dropped and Spark computes it again. A segment on
 * another host is fetched; if that fails, this task computes the partition for itself.
 *
 * @param handles
 *   what is left of the table's handles after pruning
 * @param persisted
 *   the RDD whose blocks hold the handles
 * @param positions
 *   in the table, of each column that is read
 */
private[spark] final class CacheReadRDD(handles: RDD[CachedBatch], persisted: Int, table: CacheWriteRDD[_],
    positions: Array[Int], schema: StructType)
    extends RDD[ColumnarBatch](handles) {
  override protected def getPartitions: Array[Partition] = firstParent[CachedBatch].partitions

  override def compute(split: Partition, context: TaskContext): Iterator[ColumnarBatch] = {
    val leases = mutable.HashMap.empty[String, RemoteSegments.Open]
    context.addTaskCompletionListener[Unit](_ => leases.values.foreach(_.close()))
    val found = firstParent[CachedBatch].iterator(split, context).toArray
    found.headOption match {
      case Some(_: AbsentPartition) => again(split, context)
      case _ if positions.isEmpty => found.iterator.map(handle => new ColumnarBatch(Array.empty, handle.numRows))
      case _ =>
        open(found, leases) match {
          case None => batches(found, leases)
          case Some((segment, why)) if !LocalHost().is(segment.host) =>
            CacheReadRDD.log.warn(s"${why.text} Partition ${split.index} is computed for this task.")
            again(split, context)
          case Some((_, why)) =>
            CacheReadRDD.log.warn(s"${why.text} Partition ${split.index} is computed again.")
            val block = RDDBlockId(persisted, split.index)
            SparkEnv.get.blockManager.removeBlock(block)
            SparkEnv.get.blockManager.master.removeBlock(block)
            val anew = firstParent[CachedBatch].iterator(split, context).toArray
            if (anew.forall(_.isInstanceOf[CachedHandle]) && open(anew, leases).isEmpty) batches(anew, leases)
            else again(split, context)
        }
    }
  }

  /** Opens the segments of all handles; the first that could not be opened, and why. */
  private def open(found: Array[CachedBatch], leases: mutable.Map[String, RemoteSegments.Open])
      : Option[(CachedSegment, SparkGapException)] = {
    found.iterator.map(_.asInstanceOf[CachedHandle].segment).filterNot(its => leases.contains(its.path)).flatMap {
      its =>
        try {
          leases(its.path) = RemoteSegments().open(its.host, its.path, its.bytes, its.crc32c)
          leases(its.path).segment.require(its.bytes, its.rows, table.columns, false)
          None
        } catch { case NonFatal(e: SparkGapException) => Some((its, e)) }
    }.nextOption()
  }

  private def batches(
      found: Array[CachedBatch], leases: mutable.Map[String, RemoteSegments.Open]): Iterator[ColumnarBatch] =
    found.iterator.map { batch =>
      val handle = batch.asInstanceOf[CachedHandle]
      val lease = leases(handle.segment.path).lease
      val segment = lease.segment
      val vectors = positions.indices.map(i =>
        MappedVector.of(lease, segment.place(handle.index, positions(i)), 0, handle.numRows,
          schema(i).dataType)).toArray
      new ColumnarBatch(vectors, handle.numRows)
    }

  private def again(split: Partition, context: TaskContext): Iterator[ColumnarBatch] =
    table.again(split, context).map(batch => new ColumnarBatch(positions.map(batch.column), batch.numRows))
}

private[spark] object CacheReadRDD {
  private val log = LoggerFactory.getLogger("sparkgap")

  def apply(handles: RDD[CachedBatch], positions: Array[Int], schema: StructType): RDD[ColumnarBatch] = {
    val found = lineage(handles)
    new CacheReadRDD(handles, found._1.id, found._2, positions, schema)
  }

  /** What Spark has made of a table's RDD: its own, which it persists, and filters upon that. */
  def lineage(handles: RDD[CachedBatch]): (RDD[_], CacheWriteRDD[_]) = {
    val way =
      Iterator.iterate[RDD[_]](handles)(_.dependencies.headOption.map(_.rdd).orNull).takeWhile(_ != null).take(20).toSeq
    val table = way.collectFirst { case written: CacheWriteRDD[_] => written }
      .getOrElse(throw new IllegalStateException(s"no cached table of the store below $handles"))
    val persisted = way.find(_.getStorageLevel != StorageLevel.NONE).getOrElse(table)
    CachedTables().persisted(table, persisted.id)
    (persisted, table)
  }
}
