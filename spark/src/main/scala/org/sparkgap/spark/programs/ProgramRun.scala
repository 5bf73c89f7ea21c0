// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.programs

import java.util.{Collections, HashMap => JHashMap}

import scala.collection.immutable.ListMap
import scala.jdk.CollectionConverters._

import org.apache.spark.sql.SparkSession
import org.sparkgap.launch.{Invocation, JobException, Program, RunningJob}
import org.sparkgap.spark.application.{Conf, LocalHost}
import org.sparkgap.spark.columns.Types
import org.sparkgap.spark.export.{Export, Exported}
import org.sparkgap.spark.formats.{ArgumentTemplate, FileFormat}
import org.sparkgap.spark.job.{JobLaunch, JobOutcome, Placement, ProgramFigures, ProgramPlan}
import org.sparkgap.spark.segments.{BroughtSegments, SegmentFolders, Tier}
import org.sparkgap.spark.table.StoreTable
import org.sparkgap.store.{Manifest, SegmentInfo, SparkGapException}

/**
 * One attempt at a call of a user's program. Ranks that read segments run where their rows are; others find whole files
 * on each host. Their outputs are read on the host that has them. Closed, it gives its inputs back.
 *
 * @param key
 *   of this attempt, unique in the application
 * @param names
 *   the table of each output
 */
private[spark] final class ProgramRun(session: SparkSession, conf: Conf, request: ProgramRequest, key: String,
    names: Map[String, String], logs: ProgramLogs, running: RunningJob)
    extends AutoCloseable {
  val figures = new ProgramFigures
  private var exported = ListMap.empty[String, Exported]
  private var outputs = Seq.empty[ProgramPlan.Output]

  /** A table for each output, not yet known by its name. */
  def run(): (Seq[Manifest], JobOutcome) = {
    request.inputs.foreach { case (name, input) => exported += name -> copy(name, input) }
    val all = exported.map { case (name, made) => name -> made.manifest }
    val place = placement(all)
    val hosts = place.rankHosts.distinct
    outputs = request.outputs.map { case (name, output) =>
      ProgramPlan.Output(name, output.format, output.schema, output.file,
        hosts.map(_ -> SegmentFolders().begin(names(name))).toMap)
    }.toSeq
    val tables = all.filter { case (name, _) => request.inputs(name).format == FileFormat.Arrow }
    val lacking = tables.map { case (name, table) => name -> place.lacking(table) }
    val inputs = request.inputs.toSeq.map { case (name, input) =>
      val table = all(name)
      ProgramPlan.Input(
        name,
        input.format,
        input.data.schema,
        Types.spark(table.columns.asScala.toSeq),
        table.segments.asScala.map(BroughtSegments.wanted).toSeq,
        lacking.getOrElse(name, Set.empty)
      )
    }
    val same = Map("ranks" -> place.ranks, "rank_count" -> place.ranks, "threads" -> place.threads).map {
      case (name, n) => name -> n.toString
    }
    val plan = ProgramPlan(key, request.program.toString, request.arguments, request.environment, same, inputs, outputs,
      conf.segmentBytes)
    val launch = new JobLaunch(session.sparkContext, conf, place, Tier.Memory, request.name, key,
      place.fetches(tables.values), Some(0), Some(plan))
    val program = new Program(request.name, request.program, conf.kernelDir.resolve(Program.GUARD),
      Invocation.ofDriver(logs.folder))
    val read = tables.map { case (name, table) => name -> withEmpty(name, place.brought(table), lacking(name)) }
    val job = JobLaunch.job(conf, place, key, program, new JHashMap[String, Any], read.asJava, running)
    val outcome = launch.run(job, running, giveBack)
    count(outcome)
    (outputs.map(table(_, outcome.taken, if (place.onDriversHost) Nil else hosts)), outcome)
  }

  /** Removes what there is of outputs of a run that failed. */
  def discard(): Unit = outputs.flatMap(_.folder.values).foreach(SegmentFolders().end)

  override def close(): Unit = exported.keys.foreach(giveBack)

  /** The rows as segments: those that an arrow input needs, else those that there are. */
  private def copy(name: String, input: ProgramInput): Exported = {
    val label = s"${request.name}_${key}_$name"
    running.phase(s"export $name")
    val made = figures.timed("export_s")(
      if (input.format == FileFormat.Arrow) Export.whole(input.data, label)
      else Export.borrow(input.data, label, Tier.Memory))
    figures.bytesCopied += made.bytesCopied
    figures.rowsIn += made.manifest.rows
    made
  }

  /** A copy that only this call made need not take memory any longer than it is read. */
  private def giveBack(name: String): Unit = synchronized {
    exported.get(name).filter(_.copies > 0).foreach(made => StoreTable.deleteSegments(made.manifest))
    exported -= name
  }

  private def count(outcome: JobOutcome): Unit = {
    import outcome.{result, taken}
    figures.bytesCopied += outcome.fetchedBytes + taken.map(_.bytesCopied).sum
    def slowest(seconds: ProgramPlan.Taken => Double): Double = taken.map(seconds).maxOption.getOrElse(0.0)
    val own = ListMap("fetch_s" -> (outcome.fetchSeconds + slowest(_.fetchSeconds)),
      "render_s" -> slowest(_.renderSeconds), "parse_s" -> slowest(_.parseSeconds))
    // The job's time includes theirs. For a program that reports no phases, all the rest counts as its computing.
    def less(seconds: Double): Double = math.max(0, seconds - own.values.sum)
    val compute = if (result.launchSeconds == 0) less(result.computeSeconds) else result.computeSeconds
    val told = Seq("launch_s" -> less(result.launchSeconds), "build_s" -> result.buildSeconds, "compute_s" -> compute,
      "write_s" -> result.writeSeconds)
    (own.toSeq ++ told).filter(_._2 > 0).foreach { case (phase, seconds) => figures.add(phase, seconds) }
  }

  /**
   * On the driver's host if all executors are there, else on the hosts of the inputs that ranks read in place; without
   * such inputs, anywhere.
   */
  private def placement(exported: Map[String, Manifest]): Placement = {
    val named = ArgumentTemplate.named(request.arguments)
    val inPlace = exported.filter { case (name, _) =>
      request.inputs(name).format == FileFormat.Arrow && !named(s"inputs.$name")
    }
    def segments(tables: Map[String, Manifest]): Seq[SegmentInfo] =
      tables.values.toSeq.flatMap(_.segments.asScala).filter(_.rows > 0)
    if (LocalHost().hasAllExecutors) Placement.onThisHost(session.sparkContext, conf, request.ranks, request.threads)
    else if (inPlace.nonEmpty)
      Placement.of(session.sparkContext, conf, request.ranks, request.threads, segments(inPlace))
    else Placement.anywhere(conf, request.ranks, request.threads, segments(exported))
  }

  /** Every host with ranks has a segment to open, be it one without rows. */
  private def withEmpty(name: String, table: Manifest, hosts: Set[String]): Manifest =
    new Manifest(table.name, table.columns,
      (table.segments.asScala ++ hosts.toSeq.sorted.map(new SegmentInfo(_, ProgramPlan.empty(name), 0, 0, ""))).asJava)

  /**
   * An output of all hosts as one table. As on a file system that all share: a file is that of the first host that has
   * one, a folder holds the files of all in the order of their names, of two with one name the first.
   *
   * @param hosts
   *   for errors
   */
  private def table(output: ProgramPlan.Output, taken: Seq[ProgramPlan.Taken], hosts: Seq[String]): Manifest = {
    val all = taken.flatMap(_.files).filter(_.output == output.name)
    val chosen = if (all.headOption.exists(_.file.isEmpty)) all.take(1)
    else all.filter(_.file.isDefined).distinctBy(_.file).sortBy(_.file)
    chosen.flatMap(_.failure).headOption.foreach { case (code, text) =>
      throw new JobException(code, text, null, null, null, Collections.emptyList[String])
    }
    if (chosen.isEmpty) missing(output, hosts)
    val made = new Manifest(names(output.name), Types.columns(s"outputs.${output.name}", output.schema).asJava,
      chosen.flatMap(_.segments).asJava)
    SegmentFolders().discard(all.diff(chosen).flatMap(_.segments))
    // Hosts of whose files none counts.
    output.folder.values.toSeq.diff(SegmentFolders().of(made)).foreach(SegmentFolders().end)
    made
  }

  private def missing(output: ProgramPlan.Output, hosts: Seq[String]): Nothing = {
    val name = output.name
    val expected = if (output.format == FileFormat.Arrow) s"a segment in {outputs.$name}"
    else output.file.fold(s"the file {outputs.$name}, $name${output.format.suffix}")(file =>
      s"the file $file in the working folder")
    val where = if (hosts.isEmpty) "" else s" on ${hosts.mkString(", ")}"
    val last = logs.printed.linesIterator.toSeq.lastOption
    throw new SparkGapException(
      SparkGapException.DATA,
      s"outputs.$name",
      s"$expected, when all ranks have ended",
      s"none$where (${last.fold("it printed nothing")(line => s"its last line: ${line.take(200)}")})",
      "Do let the program write it, or leave the output out"
    )
  }
}

private[spark] object ProgramRun {

  /** What arguments may name. */
  def places(request: ProgramRequest): Seq[String] =
    request.inputs.keys.map(name => s"inputs.$name").toSeq ++ request.outputs.keys.map(name => s"outputs.$name") ++ Seq(
      "ranks", "rank_count", "rank", "threads", "job")
}
