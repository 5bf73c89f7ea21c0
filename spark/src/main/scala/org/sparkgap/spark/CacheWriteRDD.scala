// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark

import scala.jdk.CollectionConverters._
import scala.reflect.ClassTag

import org.apache.spark.{Partition, SparkEnv, TaskContext}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.columnar.CachedBatch
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.vectorized.ColumnarBatch
import org.apache.spark.storage.StorageLevel
import org.slf4j.LoggerFactory
import org.sparkgap.store.{SegmentWriter, SparkGapException}

/**
 * The partitions of a table that is cached, each written into segments of its executor's home when Spark computes it.
 *
 * @param table under which name its segments stand in the homes
 * @param form how the input comes: as rows or as columns
 * @param onDisk whether the user wants it on disk, as StorageLevel.DISK_ONLY says
 */
private[spark] final class CacheWriteRDD[T: ClassTag](input: RDD[T], val table: String, form: CachedForm[T], onDisk: Boolean, segmentBytes: Long) extends RDD[CachedBatch](input) {
  override protected def getPartitions: Array[Partition] = firstParent[T].partitions

  override def compute(split: Partition, context: TaskContext): Iterator[CachedBatch] = {
    val rows = firstParent[T].iterator(split, context)
    val host = SparkEnv.get.blockManager.blockManagerId.host
    val prefix = s"part-${split.index}-${context.taskAttemptId()}"
    val writer = new SegmentWriter(CacheFiles.place(table, onDisk), prefix, host, Types.columns(table, form.schema).asJava, segmentBytes, true)
    var count = 0L
    try {
      val copy = form.copy(writer)
      while (rows.hasNext) {
        val next = rows.next()
        count += form.rows(next)
        copy(next)
      }
      if (context.isInterrupted()) throw new InterruptedException("the task was killed")
      val segments = writer.finish(false).asScala.map(s => new CachedSegment(s.host, s.path, s.rows, s.bytes, s.crc32c)).toIndexedSeq
      CacheFiles.written(table, split.index, segments.map(_.path))
      writer.batches.asScala.iterator.map { batch =>
        new CachedHandle(segments(batch.segment), batch.index, batch.rows, batch.statistics.asScala.map(_.bytes).sum,
          CachedHandle.statistics(batch.statistics.asScala.toSeq, batch.rows, form.schema))
      }
    } catch {
      case noRoom: SparkGapException if noRoom.code == SparkGapException.NO_ROOM =>
        CacheWriteRDD.log.warn(s"${noRoom.text} Partition ${split.index} of ${CacheWriteRDD.this} is not cached and is computed again for each reader.")
        while (rows.hasNext) count += form.rows(rows.next())
        Iterator.single(new AbsentPartition(count))
    } finally {
      writer.close()
    }
  }

  /** The partition's rows without the cache, for a reader that cannot have its segments. */
  def again(split: Partition, context: TaskContext): Iterator[ColumnarBatch] = form.batches(firstParent[T].iterator(split, context))
}

private[spark] object CacheWriteRDD {
  private val log = LoggerFactory.getLogger("org.sparkgap")

  def apply[T: ClassTag](input: RDD[T], form: CachedForm[T], level: StorageLevel, conf: SQLConf): RDD[CachedBatch] = {
    val made = new CacheWriteRDD(input, CachedTables.newName(), form, !level.useMemory, Conf.of(conf).segmentBytes)
    CachedTables.own(made)
    made
  }
}
