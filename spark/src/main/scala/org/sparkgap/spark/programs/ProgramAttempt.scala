// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.programs

import java.nio.file.Path
import java.util.{HashMap => JHashMap, LinkedHashMap, List => JList}
import java.util.function.IntFunction

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.SparkSession
import org.sparkgap.launch.{Invocation, Job, JobResult, LeftFile, Program, RunningJob}
import org.sparkgap.spark.affinity.RankPlace
import org.sparkgap.spark.application.Conf
import org.sparkgap.spark.columns.Types
import org.sparkgap.spark.export.{Export, Exported}
import org.sparkgap.spark.formats.{FileFormat, ProgramFolder}
import org.sparkgap.spark.job.{Deadline, ProgramFigures}
import org.sparkgap.spark.segments.{Homes, Tier}
import org.sparkgap.spark.table.StoreTable
import org.sparkgap.store.{Column, Manifest, SparkGapException}

/** What a run of a user's program gave: a table for each output, not yet known by its name. */
private[spark] final case class ProgramOutcome(tables: Seq[Manifest], ranks: Int, threads: Int, result: JobResult, rankPlaces: Seq[RankPlace])

/** A way to run it. */
private[spark] trait ProgramRun {
  def run(): ProgramOutcome

  /** Removes what there is of outputs of a run that failed. */
  def discard(): Unit
}

/**
 * One attempt at a call of a user's program, wherever its ranks are; closed, it gives its inputs back.
 *
 * @param key of this attempt, unique in the application
 * @param names the table of each output
 */
private[spark] final class ProgramAttempt(val session: SparkSession, val conf: Conf, val request: ProgramRequest, val key: String, val names: Map[String, String], val files: ProgramFolder,
    val running: RunningJob) extends AutoCloseable {
  val figures = new ProgramFigures
  private var borrowed = Seq.empty[Exported]

  /** The rows as segments: those that an arrow input needs, else those that there are. */
  def export(name: String, input: ProgramInput): Exported = {
    val label = s"${request.name}_${key}_$name"
    running.phase(s"export $name")
    val exported = figures.timed("export_s")(if (input.format == FileFormat.Arrow) Export.whole(input.data, label) else Export.borrow(input.data, label, Tier.Memory))
    borrowed :+= exported
    figures.bytesCopied += exported.bytesCopied
    figures.rowsIn += exported.manifest.rows
    exported
  }

  /** Gives a copy that only this call made back before its end. */
  def release(exported: Exported): Unit = {
    borrowed = borrowed.filterNot(_ eq exported)
    if (exported.copies > 0) StoreTable.deleteSegments(exported.manifest)
  }

  override def close(): Unit = borrowed.foreach(release)

  /** @param outputs of arrow outputs the folders, as ranks find them; of those that are left in the working folder where they go from there */
  def job(rankHosts: Seq[String], threads: Int, arguments: IntFunction[JList[String]], outputs: String => Path, inputs: Map[String, Manifest], output: Path): Job = {
    val said = new LinkedHashMap[String, Invocation.Output]
    request.outputs.foreach { case (name, output) => if (output.format == FileFormat.Arrow) said.put(name, new Invocation.Output(outputs(name), columns(name, output).asJava)) }
    val left = request.outputs.collect { case (name, ProgramOutput(_, _, Some(file))) => new LeftFile(s"outputs.$name", file, outputs(name)) }
    val invocation = new Invocation(arguments, request.environment.asJava, said, left.toSeq.asJava, files.logs)
    val program = new Program(request.name, request.program, conf.kernelDir.resolve(Program.GUARD), invocation)
    new Job(key, program, Homes().current().jobs.resolve(key), threads, rankHosts.asJava, new JHashMap[String, Any], inputs.asJava, output, conf.segmentBytes, Deadline.left(running))
  }

  def columns(name: String, output: ProgramOutput): Seq[Column] = Types.columns(s"outputs.$name", output.schema)

  /** @param where its files were looked for, empty or beginning with a space */
  def missing(name: String, output: ProgramOutput, where: String): Nothing = {
    val expected = if (output.format == FileFormat.Arrow) s"a segment in {outputs.$name}"
      else output.file.fold(s"the file {outputs.$name}, $name${output.format.suffix}")(file => s"the file $file in the working folder")
    val last = files.printed.linesIterator.toSeq.lastOption
    throw new SparkGapException(SparkGapException.DATA, s"outputs.$name", s"$expected, when all ranks have ended",
      s"none$where (${last.fold("it printed nothing")(line => s"its last line: ${line.take(200)}")})", "Do let the program write it, or leave the output out")
  }

}

private[spark] object ProgramAttempt {
  /** What arguments may name. */
  def places(request: ProgramRequest): Seq[String] =
    request.inputs.keys.map(name => s"inputs.$name").toSeq ++ request.outputs.keys.map(name => s"outputs.$name") ++ Seq("ranks", "rank_count", "rank", "threads", "job")
}
