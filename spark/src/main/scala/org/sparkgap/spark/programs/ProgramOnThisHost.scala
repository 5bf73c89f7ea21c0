// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.programs

import java.nio.file.{Path, Paths}
import java.util.{List => JList}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.sparkgap.launch.Mpi
import org.sparkgap.spark.affinity.{RankBinding, RankClaim}
import org.sparkgap.spark.application.LocalHost
import org.sparkgap.spark.formats.{ArgumentTemplate, FileFormat, FileParse, FileRender, ProgramFolder}
import org.sparkgap.spark.job.{JobLaunch, OutputSegments, Placement, StandIn}
import org.sparkgap.spark.segments.{Homes, SegmentFolders}
import org.sparkgap.spark.table.TableRows
import org.sparkgap.store.{Manifest, SegmentWriter}

/** A user's program on the driver's host: its files are made and read by the driver. */
private[spark] final class ProgramOnThisHost(attempt: ProgramAttempt) extends ProgramRun {
  import attempt.{conf, figures, files, key, names, request, running}

  private val home = Homes().current()
  private val folders = ArgumentTemplate.folders(request.arguments)
  private val outputFolders = request.outputs.map { case (name, _) => name -> SegmentFolders().begin(names(name)) }

  override def run(): ProgramOutcome = {
    val place = Placement.onThisHost(attempt.session.sparkContext, conf, request.ranks, request.threads)
    import place.{ranks, threads}
    val mpi = if (ranks > 1) Mpi.find(conf.mpiexec, System.getenv("PATH")) else null
    var tables = Map.empty[String, Manifest]
    val inputs = request.inputs.map { case (name, input) =>
      val (place, table) = give(name, input)
      tables ++= table.map(name -> _)
      s"inputs.$name" -> place
    }
    val outputs = request.outputs.map { case (name, output) =>
      name -> (if (output.format == FileFormat.Arrow) home.segments(outputFolders(name)) else output.file.fold(files.output(name, output.format, folders(s"outputs.$name")))(files.left(name, _)))
    }
    val written = request.outputs.map { case (name, output) => s"outputs.$name" -> output.file.fold(outputs(name))(home.jobs.resolve(key).resolve(_)) }
    val places = (inputs ++ written ++
      Map("ranks" -> ranks, "rank_count" -> ranks, "threads" -> threads, "job" -> home.jobs.resolve(key))).map { case (name, value) => name -> value.toString }
    def arguments(rank: Int): JList[String] = ArgumentTemplate.fill(request.arguments, places + ("rank" -> rank.toString)).asJava
    val job = attempt.job(place.rankHosts, threads, arguments(_), outputs, tables, files.anyOutput)
    running.on(s"${JobLaunch.count(ranks, "rank")} on the driver's host")
    val (result, rankPlaces) = StandIn.during(attempt.session.sparkContext, key, running)(RankClaim.during(RankBinding(conf.rankAffinity, place.apart), job, mpi, running))
    // A program that says nothing of itself has computed all the time.
    Seq("launch_s" -> result.launchSeconds, "build_s" -> result.buildSeconds, "compute_s" -> result.computeSeconds, "write_s" -> result.writeSeconds).filter(_._2 > 0)
      .foreach { case (phase, seconds) => figures.add(phase, seconds) }
    running.phase("parse")
    val taken = figures.timed("parse_s")(request.outputs.toSeq.map { case (name, output) => take(name, output, outputs(name)) })
    ProgramOutcome(taken, ranks, threads, result, rankPlaces)
  }

  override def discard(): Unit = outputFolders.values.foreach(SegmentFolders().end)

  /** Where the program finds an input; its segments, where it gets these. */
  private def give(name: String, input: ProgramInput): (Path, Option[Manifest]) = {
    val exported = attempt.export(name, input)
    val table = exported.manifest
    if (input.format == FileFormat.Arrow) {
      (files.link(name, table.segments.asScala.map(s => Paths.get(s.path)).toSeq), Some(table))
    } else {
      running.phase(s"render $name")
      val file = files.input(name, input.format)
      figures.bytesCopied += figures.timed("render_s")(ProgramFolder.room(home)(Using.resource(new TableRows(s"inputs.$name", table, input.data.schema))(FileRender.write(_, input.format, file))))
      // The rows stand in the file now: a copy that only this call made need not take memory any longer.
      attempt.release(exported)
      (file, None)
    }
  }

  /** An output as a table that has no name yet. */
  private def take(name: String, output: ProgramOutput, place: Path): Manifest = {
    val columns = attempt.columns(name, output)
    val segments = ProgramFolder.room(home) {
      if (output.format == FileFormat.Arrow) {
        OutputSegments.adopt(name, place, columns, LocalHost.name)
      } else {
        val found = FileParse.files(place)
        if (found.isEmpty) attempt.missing(name, output, "")
        val writer = new SegmentWriter(home.segments(outputFolders(name)), "part", LocalHost.name, columns.asJava, conf.segmentBytes)
        val written = try {
          val parse = new FileParse(name, output.schema, writer)
          found.foreach(parse.read(_, output.format))
          writer.finish(true).asScala.toSeq
        } finally {
          writer.close()
        }
        figures.bytesCopied += written.map(_.bytes).sum
        written
      }
    }
    if (segments.isEmpty) attempt.missing(name, output, "")
    new Manifest(names(name), columns.asJava, segments.asJava)
  }
}
