// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.job

import org.apache.spark.sql.types.StructType
import org.sparkgap.spark.formats.FileFormat
import org.sparkgap.spark.segments.BroughtSegments
import org.sparkgap.store.SegmentInfo

/**
 * What each host with ranks of a user's program makes for it, and takes from it. It goes there with the agents' tasks.
 *
 * @param key
 *   of the attempt
 * @param executable
 *   the same path on every host
 * @param places
 *   what arguments may name and is the same on every host
 */
private[spark] final case class ProgramPlan(key: String, executable: String, arguments: Seq[String],
    environment: Map[String, String], places: Map[String, String],
    inputs: Seq[ProgramPlan.Input], outputs: Seq[ProgramPlan.Output], segmentBytes: Long)

private[spark] object ProgramPlan {

  /**
   * @param schema
   *   the columns that the program gets
   * @param stored
   *   those that the segments have
   * @param segments
   *   the whole table, in its order
   * @param lacking
   *   hosts whose ranks would find no segment of it
   */
  final case class Input(name: String, format: FileFormat, schema: StructType, stored: StructType,
      segments: Seq[BroughtSegments.Wanted], lacking: Set[String])

  /**
   * @param file
   *   its name in the working folder, where it is not written to a place of ours; @param folder of its segments, on
   *   each host
   */
  final case class Output(name: String, format: FileFormat, schema: StructType, file: Option[String],
      folder: Map[String, String])

  /**
   * An output's file that a host has read: segments, or what is wrong with it. `file` is its name in the output's
   * folder, None where it is no folder.
   */
  final case class TakenFile(output: String, file: Option[String], segments: Seq[SegmentInfo],
      failure: Option[(Int, String)])

  /** What a host has done beside running its ranks; seconds of each step, and bytes that were copied. */
  final case class Taken(files: Seq[TakenFile], fetchSeconds: Double, renderSeconds: Double, parseSeconds: Double,
      bytesCopied: Long)

  /** In job.json, the path of a segment without rows that a host makes for ranks which would find none. */
  def empty(input: String): String = s"empty:$input"
}
