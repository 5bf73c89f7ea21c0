// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.export

import java.nio.file.{Path, Paths}

import scala.jdk.CollectionConverters._

import org.apache.spark.{SparkEnv, TaskContext}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.columnar.CachedBatch
import org.apache.spark.sql.execution.columnar.DefaultCachedBatch
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnarBatch
import org.sparkgap.spark.columns.{CachedVectors, ColumnCopy, RowCopy}
import org.sparkgap.spark.segments.{Homes, Housekeeping, OpenWrites, Tier}
import org.sparkgap.store.{Column, SegmentInfo, SegmentWriter}

/**
 * The work of each task of an export: it writes its partition into segments in the home of its process.
 *
 * A named class and no closure: before a job Spark reads the bytecode of all classes around a closure to find what it
 * refers to, and in a young JVM that costs more than the rest of the job's start. Segments are given as tuples, because
 * a session with spark.serializer=Kryo cannot carry records.
 */
private[spark] abstract class ExportTask[T](writing: SegmentWriting) extends ((
            TaskContext, Iterator[T]) => Array[OpenWrites.Written]) with Serializable {

  /** Copies the partition. */
  def copy(partition: Iterator[T], writer: SegmentWriter): Unit

  final override def apply(context: TaskContext, partition: Iterator[T]): Array[OpenWrites.Written] =
    writing.task(context)(copy(partition, _)).map(s => (s.host, s.path, s.rows, s.bytes, s.crc32c)).toArray
}

private[spark] final class CachedTask(
    writing: SegmentWriting, schema: StructType, positions: Array[Int]) extends ExportTask[CachedBatch](writing) {
  override def copy(partition: Iterator[CachedBatch], writer: SegmentWriter): Unit = {
    val vectors = new CachedVectors(schema, positions)
    try {
      val columns = new ColumnCopy(positions.indices.toArray, writer)
      while (partition.hasNext) columns.append(vectors.read(partition.next().asInstanceOf[DefaultCachedBatch]))
    } finally {
      vectors.close()
    }
  }
}

private[spark] final class BatchTask(
    writing: SegmentWriting, ordinals: Array[Int]) extends ExportTask[ColumnarBatch](writing) {
  override def copy(partition: Iterator[ColumnarBatch], writer: SegmentWriter): Unit = {
    val columns = new ColumnCopy(ordinals, writer)
    while (partition.hasNext) columns.append(partition.next())
  }
}

private[spark] final class RowTask(writing: SegmentWriting) extends ExportTask[InternalRow](writing) {
  override def copy(partition: Iterator[InternalRow], writer: SegmentWriter): Unit = {
    val rows = new RowCopy(writing.width, writer)
    while (partition.hasNext) rows.append(partition.next())
  }
}

/**
 * Where and how the tasks of one export write.
 *
 * @param folder
 *   of the segments, in the home of each process
 * @param narrow
 *   positions of the columns that may be narrower than their type in segments whose values allow it
 */
private[spark] final class SegmentWriting(folder: String, columns: Array[Column], narrow: Array[Int],
    segmentBytes: Long, driverDirectory: String, tier: Tier)
    extends Serializable {
  def width: Int = columns.length

  /** No segment if no row came. However the body ends, there are either all segments or none. */
  def task(context: TaskContext)(body: SegmentWriter => Unit): Seq[SegmentInfo] = {
    val env = SparkEnv.get
    // In local mode the task runs in the driver's process, whose home need not be found again under another class
    // loader.
    val directory =
      if (env.executorId == "driver") Paths.get(driverDirectory) else Homes().current(tier).segments(folder)
    val name = f"part-${context.partitionId()}%05d-${context.taskAttemptId()}"
    if (env.executorId != "driver") Housekeeping().start()
    val written = run(directory, name, env.blockManager.blockManagerId.host, evenEmpty = false) { writer =>
      body(writer)
      if (context.isInterrupted()) throw new InterruptedException("the task was killed")
    }
    if (!OpenWrites().keep(folder, written, noted = true))
      throw new InterruptedException(s"the export of $folder is over")
    written
  }

  /** One segment without rows, for a table that has none. */
  def empty(directory: Path, host: String): Seq[SegmentInfo] = run(directory, "empty", host, evenEmpty = true)(_ => ())

  private def run(directory: Path, name: String, host: String, evenEmpty: Boolean)(
      body: SegmentWriter => Unit): Seq[SegmentInfo] = {
    val writer = new SegmentWriter(directory, name, host, columns.toSeq.asJava, segmentBytes)
    try {
      narrow.foreach(writer.narrow)
      body(writer)
      writer.finish(evenEmpty).asScala.toSeq
    } finally {
      writer.close()
    }
  }
}
