// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.job

import org.apache.spark.sql.types.StructType
import org.sparkgap.spark.formats.FileFormat
import org.sparkgap.spark.segments.BroughtSegments
import org.sparkgap.store.SegmentInfo

/**
 * The files that each host with ranks makes for a user's program, and reads from it. The agents' tasks carry it to the
 * hosts.
 *
 * @param key
 *   of the attempt
 * @param executable
 *   the same path on every host
 * @param places
 *   values that arguments may name, the same on every host
 */
private[spark] final case class ProgramPlan(key: String, executable: String, arguments: Seq[String],
    environment: Map[String, String], places: Map[String, String],
    inputs: Seq[ProgramPlan.Input], outputs: Seq[ProgramPlan.Output], segmentBytes: Long)

private[spark] object ProgramPlan {

  /**
   * @param schema
   *   columns that the program gets
   * @param stored
   *   columns that the segments have
   * @param segments
   *   the whole table, in its order
   * @param lacking
   *   hosts without a segment of it
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
   * An output's file that a host has read: its segments, or what is wrong with it. `file` is its name in the output's
   * folder, None if the output is a single file.
   */
  final case class TakenFile(output: String, file: Option[String], segments: Seq[SegmentInfo],
      failure: Option[(Int, String)])

  /** A host's work besides running its ranks: seconds of each step, and bytes copied. */
  final case class Taken(files: Seq[TakenFile], fetchSeconds: Double, renderSeconds: Double, parseSeconds: Double,
      bytesCopied: Long)

  /** In job.json, the path of an empty segment that a host makes for ranks without rows. */
  def empty(input: String): String = s"empty:$input"
}
