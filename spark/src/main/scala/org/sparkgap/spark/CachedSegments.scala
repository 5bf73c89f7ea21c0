// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark

import java.nio.file.{Files, Paths}

import org.apache.spark.TaskContext
import org.apache.spark.sql.columnar.CachedBatch
import org.sparkgap.store.SegmentInfo

/** The segments of a table that is cached in the store, for programs that read them where they are. */
private[spark] object CachedSegments {
  /** In row order; what is not in the cache yet is computed first. None where a partition is not there: it had no room, or its file is gone. */
  def of(cached: PlanColumns.CachedStored): Option[Seq[SegmentInfo]] = {
    CacheReadRDD.lineage(cached.handles)
    val found = cached.handles.sparkContext.runJob(cached.handles, new FindSegments)
    if (found.exists(_.isEmpty)) None
    else Some(found.toSeq.flatMap(_.get).map { case (host, path, rows, bytes, crc) => new SegmentInfo(host, path, rows, bytes, crc) }).filter(_.nonEmpty)
  }

  private final class FindSegments extends ((TaskContext, Iterator[CachedBatch]) => Option[Array[ExportTask.Written]]) with Serializable {
    override def apply(context: TaskContext, handles: Iterator[CachedBatch]): Option[Array[ExportTask.Written]] = {
      val all = handles.toArray
      val segments = all.collect { case handle: CachedHandle => handle.segment }.distinctBy(_.path)
      if (all.exists(_.isInstanceOf[AbsentPartition]) || !segments.forall(s => Files.exists(Paths.get(s.path)))) None
      else Some(segments.map(s => (s.host, s.path, s.rows, s.bytes, s.crc32c)))
    }
  }
}
