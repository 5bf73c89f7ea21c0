// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.export

import java.nio.file.{Files, Paths}

import org.apache.spark.{SparkEnv, TaskContext}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.columnar.CachedBatch
import org.apache.spark.storage.RDDBlockId
import org.sparkgap.spark.cache.{AbsentPartition, CacheReadRDD, CachedHandle}
import org.sparkgap.spark.segments.OpenWrites
import org.sparkgap.store.SegmentInfo

/** The segments of a table that is cached in the store, for programs that read them where they are. */
private[spark] object CachedSegments {

  /**
   * In row order; partitions that are not in the cache yet are computed first. None if a partition had no room, or its
   * file is gone.
   */
  def of(cached: PlanColumns.CachedStored): Option[Seq[SegmentInfo]] = {
    CacheReadRDD.lineage(cached.handles)
    val found = inThisProcess(cached.handles).getOrElse(cached.handles.sparkContext.runJob(cached.handles,
        new FindSegments).toSeq)
    if (found.exists(_.isEmpty)) None
    else Some(found.flatMap(_.get).map { case (host, path, rows, bytes, crc) =>
      new SegmentInfo(host, path, rows, bytes, crc)
    }).filter(_.nonEmpty)
  }

  /**
   * In local mode all blocks are in this process, so no Spark job is needed to list them: it would take longer than
   * some kernels.
   */
  private def inThisProcess(handles: RDD[CachedBatch]): Option[Seq[Option[Array[OpenWrites.Written]]]] = {
    val blocks = SparkEnv.get.blockManager
    def block(partition: Int): Option[Array[CachedBatch]] =
      blocks.getLocalValues(RDDBlockId(handles.id, partition)).map(_.data.map(_.asInstanceOf[CachedBatch]).toArray)
    if (!handles.sparkContext.isLocal) None
    else
      handles.partitions.toSeq.foldLeft(Option(Seq.empty[Option[Array[OpenWrites.Written]]])) { (before, partition) =>
        before.flatMap(found => block(partition.index).map(found :+ written(_)))
      }
  }

  private def written(handles: Array[CachedBatch]): Option[Array[OpenWrites.Written]] = {
    val segments = handles.collect { case handle: CachedHandle => handle.segment }.distinctBy(_.path)
    if (handles.exists(_.isInstanceOf[AbsentPartition]) || !segments.forall(s => Files.exists(Paths.get(s.path)))) None
    else Some(segments.map(s => (s.host, s.path, s.rows, s.bytes, s.crc32c)))
  }

  private final class FindSegments extends ((TaskContext, Iterator[CachedBatch]) => Option[Array[OpenWrites.Written]])
      with Serializable {
    override def apply(context: TaskContext, handles: Iterator[CachedBatch]): Option[Array[OpenWrites.Written]] =
      written(handles.toArray)
  }
}
