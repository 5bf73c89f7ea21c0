// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.job

import java.nio.file.{Files, Path, Paths}

import scala.jdk.CollectionConverters._

import org.apache.spark.unsafe.Platform
import org.sparkgap.spark.formats.ProgramFolder
import org.sparkgap.store.{Column, ColumnPlace, ColumnType, Segment, SegmentInfo, SparkGapException}

/** Arrow files that a program wrote into the folder of an output: they become the table's segments where they are. */
private[spark] object OutputSegments {

  /**
   * In the order of their names, which for programs that know us is the order of ranks. Other files are removed.
   *
   * Errors: code 3 for a file that is no segment (store/FORMAT.md), has other columns, or a null in a column without
   * nulls.
   */
  def adopt(output: String, folder: Path, columns: Seq[Column], host: String): Seq[SegmentInfo] = {
    val (files, others) =
      ProgramFolder.list(folder).partition(f => f.getFileName.toString.endsWith(".arrow") && Files.isRegularFile(f))
    others.filter(Files.isRegularFile(_)).foreach(Files.deleteIfExists(_))
    files.map { file =>
      val segment = Segment.open(file)
      val found = segment.columns.asScala.toSeq
      if (found.map(c => (c.name, c.`type`)) != columns.map(c => (c.name, c.`type`)))
        refuse(output, file, words(columns), words(found))
      for ((column, c) <- columns.zipWithIndex; batch <- 0 until segment.batches;
        (name, nulls) <- unwanted(column, column.name, segment.place(batch, c), None)) {
        refuse(output, file, s"no nulls in $name", s"$nulls in batch $batch")
      }
      new SegmentInfo(host, file.toString, segment.totalRows, segment.bytes, segment.checksum)
    }
  }

  /**
   * The first field that has nulls although it is declared without, at any depth: its name and their number. Values
   * below a null struct do not count.
   */
  private def unwanted(
      column: Column, name: String, place: ColumnPlace, struct: Option[ColumnPlace]): Seq[(String, Long)] = {
    val nulls = struct.filter(_.nulls > 0 && place.nulls > 0).fold(place.nulls)(above =>
      (0 until place.rows).count(row => isNull(place, row) && !isNull(above, row)).toLong)
    val parts = column.`type`.children.asScala.toSeq.zip(place.children.asScala)
    val below = Option.when(column.`type`.kind == ColumnType.Kind.STRUCT)(place)
    Option.when(!column.nullable && nulls > 0)(name -> nulls).toSeq ++ parts.flatMap { case (part, at) =>
      unwanted(part, s"$name.${part.name}", at, below)
    }
  }

  private def isNull(place: ColumnPlace, row: Int): Boolean =
    place.validity != 0 && (Platform.getByte(null, place.validity + row / 8) >> row % 8 & 1) == 0

  private def words(columns: Seq[Column]): String = columns.map(c => s"${c.name} ${c.`type`.ddl}").mkString(", ")

  private def refuse(output: String, file: Path, expected: String, found: String): Nothing =
    throw new SparkGapException(
      SparkGapException.DATA,
      s"outputs.$output (${Paths.get("").resolve(file.getFileName)})",
      expected,
      found,
      "Do correct the program or the schema of the output"
    )
}
