// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.programs

import java.nio.file.Paths
import java.util.Collections

import scala.collection.immutable.ListMap
import scala.jdk.CollectionConverters._

import org.sparkgap.launch.JobException
import org.sparkgap.spark.columns.Types
import org.sparkgap.spark.formats.{ArgumentTemplate, FileFormat}
import org.sparkgap.spark.job.{JobLaunch, Placement, ProgramPlan}
import org.sparkgap.spark.segments.{BroughtSegments, SegmentFolders, Tier}
import org.sparkgap.store.{Manifest, SegmentInfo}

/**
 * A user's program on the hosts of executors. Ranks that know us are where their rows are; others find whole files on each host. What they write
 * is read where it lies.
 */
private[spark] final class ProgramOnHosts(attempt: ProgramAttempt) extends ProgramRun {
  import attempt.{conf, figures, key, names, request, running}

  private var outputs = Seq.empty[ProgramPlan.Output]

  override def run(): ProgramOutcome = {
    val exported = request.inputs.map { case (name, input) => name -> attempt.export(name, input).manifest }
    val place = placement(exported)
    val hosts = place.rankHosts.distinct
    outputs = request.outputs.map { case (name, output) =>
      ProgramPlan.Output(name, output.format, output.schema, output.file, hosts.map(_ -> SegmentFolders().begin(names(name))).toMap)
    }.toSeq
    val tables = exported.filter { case (name, _) => request.inputs(name).format == FileFormat.Arrow }
    val lacking = tables.map { case (name, table) => name -> hosts.diff(place.brought(table).segments.asScala.map(_.host)).toSet }
    val brought = tables.map { case (name, table) => name -> withEmpty(name, place.brought(table), lacking(name)) }
    val inputs = request.inputs.toSeq.map { case (name, input) =>
      val table = exported(name)
      ProgramPlan.Input(name, input.format, input.data.schema, Types.spark(table.columns.asScala.toSeq), table.segments.asScala.map(BroughtSegments.wanted).toSeq, lacking.getOrElse(name, Set.empty))
    }
    val same = Map("ranks" -> place.ranks, "rank_count" -> place.ranks, "threads" -> place.threads).map { case (name, n) => name -> n.toString }
    val program = ProgramPlan(key, request.program.toString, request.arguments, request.environment, same, inputs, outputs, conf.segmentBytes)
    val launch = new JobLaunch(attempt.session.sparkContext, conf, place, Tier.Memory, request.name, key, place.fetches(tables.values), 0, Some(program))
    // Agents fill in what is of their hosts: arguments and the folders of outputs.
    val job = attempt.job(place.rankHosts, place.threads, _ => Collections.emptyList[String], _ => Paths.get("/"), brought, launch.output)
    val result = launch.run(job, running)
    val taken = hosts.flatMap(launch.taken.get(_))
    val (fetchedBytes, fetchSeconds) = launch.fetched
    figures.bytesCopied += fetchedBytes + taken.map(_.bytesCopied).sum
    val own = ListMap("fetch_s" -> (fetchSeconds + slowest(taken)(_.fetchSeconds)), "render_s" -> slowest(taken)(_.renderSeconds), "parse_s" -> slowest(taken)(_.parseSeconds))
    // The job's time holds theirs; a program that says nothing of itself has computed all the rest.
    val silent = result.launchSeconds == 0
    def less(seconds: Double): Double = math.max(0, seconds - own.values.sum)
    val told = Seq("launch_s" -> less(result.launchSeconds), "build_s" -> result.buildSeconds, "compute_s" -> (if (silent) less(result.computeSeconds) else result.computeSeconds),
      "write_s" -> result.writeSeconds)
    (own.toSeq ++ told).filter(_._2 > 0).foreach { case (phase, seconds) => figures.add(phase, seconds) }
    ProgramOutcome(outputs.map(table(_, taken, hosts)), place.ranks, place.threads, result, launch.rankPlaces)
  }

  override def discard(): Unit = outputs.flatMap(_.folder.values).foreach(SegmentFolders().end)

  /** Where inputs are that ranks read in place; where there are none, anywhere. */
  private def placement(exported: Map[String, Manifest]): Placement = {
    val named = ArgumentTemplate.named(request.arguments)
    val inPlace = exported.filter { case (name, _) => request.inputs(name).format == FileFormat.Arrow && !named(s"inputs.$name") }
    def segments(tables: Map[String, Manifest]): Seq[SegmentInfo] = tables.values.toSeq.flatMap(_.segments.asScala).filter(_.rows > 0)
    if (inPlace.nonEmpty) Placement.of(attempt.session.sparkContext, conf, request.ranks, request.threads, segments(inPlace))
    else Placement.anywhere(conf, request.ranks, request.threads, segments(exported))
  }

  /** Every host with ranks has a segment to open, be it one without rows. */
  private def withEmpty(name: String, table: Manifest, hosts: Set[String]): Manifest =
    new Manifest(table.name, table.columns, (table.segments.asScala ++ hosts.toSeq.sorted.map(new SegmentInfo(_, ProgramPlan.empty(name), 0, 0, ""))).asJava)

  /**
   * An output of all hosts as one table. As on a file system that all share: a file is that of the first host that has one, a folder holds the
   * files of all in the order of their names, of two with one name the first.
   */
  private def table(output: ProgramPlan.Output, taken: Seq[ProgramPlan.Taken], hosts: Seq[String]): Manifest = {
    val all = taken.flatMap(_.files).filter(_.output == output.name)
    val chosen = if (all.headOption.exists(_.file.isEmpty)) all.take(1) else all.filter(_.file.isDefined).distinctBy(_.file).sortBy(_.file)
    chosen.flatMap(_.failure).headOption.foreach { case (code, text) => throw new JobException(code, text, null, null, null, Collections.emptyList[String]) }
    if (chosen.isEmpty) attempt.missing(output.name, request.outputs(output.name), s" on ${hosts.mkString(", ")}")
    val columns = attempt.columns(output.name, request.outputs(output.name)).asJava
    val made = new Manifest(names(output.name), columns, chosen.flatMap(_.segments).asJava)
    SegmentFolders().discard(all.diff(chosen).flatMap(_.segments))
    // Hosts of whose files none counts.
    output.folder.values.toSeq.diff(SegmentFolders().of(made)).foreach(SegmentFolders().end)
    made
  }

  private def slowest(taken: Seq[ProgramPlan.Taken])(seconds: ProgramPlan.Taken => Double): Double = taken.map(seconds).maxOption.getOrElse(0.0)
}
