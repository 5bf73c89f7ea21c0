// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark

import java.nio.file.{Files, Path, Paths}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.types.StructType
import org.sparkgap.store.{Column, Segment, SegmentInfo, SparkGapException}

/** Arrow files that a program wrote into the folder of an output: they become the table's segments where they are. */
private[spark] object OutputSegments {
  /**
   * In the order of their names, which for programs that know us is that of the ranks; other files go.
   *
   * Errors: code 3 for a file that is no segment (store/FORMAT.md), has other columns, or a null where there may be none.
   */
  def adopt(output: String, folder: Path, columns: Seq[Column], host: String): Seq[SegmentInfo] = {
    val (files, others) = JobFiles.list(folder).partition(f => f.getFileName.toString.endsWith(".arrow") && Files.isRegularFile(f))
    others.filter(Files.isRegularFile(_)).foreach(Files.deleteIfExists(_))
    files.map { file =>
      val segment = Segment.open(file)
      val found = segment.columns.asScala.toSeq
      if (found.map(c => (c.name, c.`type`)) != columns.map(c => (c.name, c.`type`))) refuse(output, file, words(columns), words(found))
      for ((column, c) <- columns.zipWithIndex if !column.nullable; batch <- 0 until segment.batches if segment.nulls(batch, c) > 0) {
        refuse(output, file, s"no nulls in ${column.name}", s"${segment.nulls(batch, c)} in batch $batch")
      }
      new SegmentInfo(host, file.toString, segment.totalRows, segment.bytes, segment.checksum)
    }
  }

  private def words(columns: Seq[Column]): String = columns.map(c => s"${c.name} ${c.`type`.ddl}").mkString(", ")

  private def refuse(output: String, file: Path, expected: String, found: String): Nothing =
    throw new SparkGapException(SparkGapException.DATA, s"outputs.$output (${Paths.get("").resolve(file.getFileName)})", expected, found, "Do correct the program or the schema of the output")
}
