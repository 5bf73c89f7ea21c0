// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.cache

import java.util.{List => JList}

import scala.jdk.CollectionConverters._
import scala.reflect.ClassTag

import org.apache.spark.{Partition, SparkEnv, TaskContext}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.columnar.CachedBatch
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.vectorized.ColumnarBatch
import org.apache.spark.storage.StorageLevel
import org.slf4j.LoggerFactory
import org.sparkgap.spark.application.Conf
import org.sparkgap.spark.columns.Types
import org.sparkgap.spark.segments.{LocalSegments, OpenWrites}
import org.sparkgap.store.{Column, SegmentInfo, SegmentWriter, SparkGapException}

/**
 * The partitions of a table that is cached, each written into segments of its executor's home when Spark computes it.
 *
 * @param table
 *   the name of its segments in the homes
 * @param form
 *   whether the input comes as rows or as columns
 * @param onDisk
 *   whether the user wants it on disk, as StorageLevel.DISK_ONLY says
 */
private[spark] final class CacheWriteRDD[T: ClassTag](input: RDD[T], val table: String, form: CachedForm[T],
    onDisk: Boolean, segmentBytes: Long) extends RDD[CachedBatch](input) {
  override protected def getPartitions: Array[Partition] = firstParent[T].partitions

  def columns: JList[Column] = Types.columns(table, form.schema).asJava

  override def compute(split: Partition, context: TaskContext): Iterator[CachedBatch] = {
    val rows = firstParent[T].iterator(split, context)
    val host = SparkEnv.get.blockManager.blockManagerId.host
    val prefix = s"part-${split.index}-${context.taskAttemptId()}"
    val writer = new SegmentWriter(LocalSegments().place(table, onDisk), prefix, host, columns, segmentBytes, true)
    var count = 0L
    // Only an error of the writer means that this cache has no room: the input may be a table of the store too, and
    // fail for lack of room of its own.
    var problem = Option.empty[SparkGapException]
    def write(what: => Unit): Unit =
      if (problem.isEmpty) {
        try what
        catch { case noRoom: SparkGapException if noRoom.code == SparkGapException.NO_ROOM => problem = Some(noRoom) }
      }
    try {
      val copy = form.copy(writer)
      while (rows.hasNext) {
        val next = rows.next()
        count += form.rows(next)
        write(copy(next))
      }
      if (context.isInterrupted()) throw new InterruptedException("the task was killed")
      var segments = IndexedSeq.empty[SegmentInfo]
      write { segments = writer.finish(false).asScala.toIndexedSeq }
      problem match {
        case Some(noRoom) =>
          CacheWriteRDD.log.warn(
            s"${noRoom.text} Partition ${split.index} of ${CacheWriteRDD.this} is not cached and is computed again " +
              "for each reader.")
          Iterator.single(new AbsentPartition(count))
        // It was dropped while this was written.
        case None if !OpenWrites().keep(table, segments, noted = false) => Iterator.single(new AbsentPartition(count))
        case None => handles(writer, split, segments, context)
      }
    } finally {
      writer.close()
    }
  }

  /** The handles for Spark to keep. If the task ends before Spark has all of them, nobody will ask for the files. */
  private def handles(writer: SegmentWriter, split: Partition, segments: IndexedSeq[SegmentInfo], context: TaskContext)
      : Iterator[CachedBatch] = {
    val paths = segments.map(_.path)
    LocalSegments().written(table, split.index, paths)
    val places = segments.map(s => new CachedSegment(s.host, s.path, s.rows, s.bytes, s.crc32c))
    val made = writer.batches.asScala.iterator.map { batch =>
      new CachedHandle(
        places(batch.segment),
        batch.index,
        batch.rows,
        batch.statistics.asScala.map(_.bytes).sum,
        CachedHandle.statistics(batch.statistics.asScala.toSeq, batch.rows, form.schema)
      )
    }
    var taken = false
    context.addTaskCompletionListener[Unit](_ => if (!taken) LocalSegments().discard(paths))
    new Iterator[CachedBatch] {
      override def hasNext: Boolean = {
        taken = !made.hasNext
        !taken
      }

      override def next(): CachedBatch = made.next()
    }
  }

  /** The partition's rows without the cache, for a reader that cannot have its segments. */
  def again(split: Partition, context: TaskContext): Iterator[ColumnarBatch] =
    form.batches(firstParent[T].iterator(split, context))
}

private[spark] object CacheWriteRDD {
  private val log = LoggerFactory.getLogger("sparkgap")

  def apply[T: ClassTag](input: RDD[T], form: CachedForm[T], level: StorageLevel, conf: SQLConf): RDD[CachedBatch] = {
    val made = new CacheWriteRDD(input, CachedTables().newName(), form, !level.useMemory, Conf.of(conf).segmentBytes)
    CachedTables().own(made)
    made
  }
}
