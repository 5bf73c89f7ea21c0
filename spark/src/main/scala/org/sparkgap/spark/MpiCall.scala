// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark

import java.io.RandomAccessFile
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}
import java.time.Duration
import java.util.{HashMap => JHashMap, LinkedHashMap}

import scala.collection.immutable.ListMap
import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.ArrayBasedMapData
import org.apache.spark.unsafe.types.UTF8String
import org.sparkgap.launch.{Invocation, Job, JobResult, JobRun, Jobs, Mpi, Program, RunningJob}
import org.sparkgap.store.{Manifest, SegmentWriter, SparkGapException}

/**
 * One CALL of a user's program on this host: tables to segments or files, the job, what it wrote as tables of the store.
 *
 * However it ends, no file is left but the tables of a call that succeeded.
 */
private[spark] final class MpiCall(session: SparkSession, request: MpiRequest) {
  private val conf = Conf.of(session)
  private val start = System.nanoTime()
  private val home = Homes.current()
  private val stem = request.name
  private val names = tableNames()
  private var phases = ListMap.empty[String, Double]
  private var bytesCopied = 0L
  private var rowsIn = 0L
  private var borrowed = Seq.empty[Exported]

  def run(): InternalRow = {
    LocalHost.requireAllHere("mpi.run")
    val ranks = request.ranks.getOrElse(conf.ranks).toInt
    val mpi = if (ranks > 1) Mpi.find(conf.mpiexec, System.getenv("PATH")) else null
    val running = Jobs.begin(stem)
    try {
      val files = new JobFiles(home, running.id)
      try run(files, ranks, mpi, running)
      finally files.delete()
    } finally {
      borrowed.foreach(release)
      running.close()
    }
  }

  private def run(files: JobFiles, ranks: Int, mpi: Mpi, running: RunningJob): InternalRow = {
    val threads = request.threads.orElse(Some(conf.threads).filter(_ > 0)).map(_.toInt).getOrElse(math.max(1, SparkCores.onThisHost(session.sparkContext) / ranks))
    val byName = new JHashMap[String, Manifest]
    val inputs = request.inputs.map { case (name, input) => s"inputs.$name" -> give(name, input, files, byName, running) }
    var done = Set.empty[String]
    try {
      val outputs = request.outputs.map { case (name, output) =>
        name -> (if (output.format == FileFormat.Arrow) home.segments(names(name)) else files.output(name, output.format))
      }
      val places = inputs ++ outputs.map { case (name, path) => s"outputs.$name" -> path } ++
        Map("ranks" -> ranks, "rank_count" -> ranks, "threads" -> threads, "job" -> home.jobs.resolve(running.id))
      val arguments = ArgumentTemplate.fill(request.arguments, places.map { case (name, value) => name -> value.toString })
      val said = new LinkedHashMap[String, Invocation.Output]
      request.outputs.foreach { case (name, output) => if (output.format == FileFormat.Arrow) said.put(name, new Invocation.Output(outputs(name), columns(name, output).asJava)) }
      val invocation = new Invocation(arguments.asJava, request.environment.asJava, said, files.logs)
      val program = new Program(stem, request.program, conf.kernelDir.resolve("sparkgap-rank"), invocation)
      val job = new Job(running.id, program, home.jobs.resolve(running.id), threads, Seq.fill(ranks)(LocalHost.name).asJava, new JHashMap[String, Any], byName, files.anyOutput,
        conf.segmentBytes, timeout)
      val result = try JobRun.run(job, mpi, running) finally request.logs.foreach(files.keepLogs)
      // A program that says nothing of itself has computed all the time.
      phases ++= Seq("launch_s" -> result.launchSeconds, "build_s" -> result.buildSeconds, "compute_s" -> result.computeSeconds, "write_s" -> result.writeSeconds).filter(_._2 > 0)
      running.phase("parse")
      val tables = timed("parse_s")(request.outputs.toSeq.map { case (name, output) => take(name, output, outputs(name), files) })
      tables.foreach { table =>
        Homes.tables().put(table)
        done += table.name
      }
      report(tables, ranks, threads, result, files)
    } catch {
      case e: Throwable =>
        done.foreach(Homes.tables().drop)
        names.values.foreach(ResultName.discard(home, _))
        throw e
    }
  }

  /** Where the program finds an input. */
  private def give(name: String, input: MpiInput, files: JobFiles, byName: JHashMap[String, Manifest], running: RunningJob): Path = {
    val label = s"${stem}_${running.id}_$name"
    running.phase(s"export $name")
    val exported = timed("export_s")(if (input.format == FileFormat.Arrow) Export.whole(input.data, label) else Export.borrow(input.data, label, Tier.Memory))
    borrowed :+= exported
    bytesCopied += exported.bytesCopied
    rowsIn += exported.manifest.rows
    if (input.format == FileFormat.Arrow) {
      byName.put(name, exported.manifest)
      files.link(name, exported.manifest)
    } else {
      running.phase(s"render $name")
      val file = files.input(name, input.format)
      bytesCopied += timed("render_s")(JobFiles.room(home)(FileRender.write(new TableRows(s"inputs.$name", exported.manifest, input.data.schema), input.format, file)))
      // The rows stand in the file now: a copy that only this call made need not take memory any longer.
      borrowed = borrowed.filterNot(_ eq exported)
      release(exported)
      file
    }
  }

  /** An output as a table that has no name yet. */
  private def take(name: String, output: MpiOutput, place: Path, files: JobFiles): Manifest = {
    val typed = columns(name, output)
    val segments = JobFiles.room(home) {
      if (output.format == FileFormat.Arrow) {
        val adopted = OutputSegments.adopt(name, place, typed, LocalHost.name)
        if (adopted.isEmpty) missing(name, s"a segment in {outputs.$name}", files) else adopted
      } else {
        val found = FileParse.files(place)
        if (found.isEmpty) missing(name, s"the file {outputs.$name}, ${place.getFileName}", files)
        val writer = new SegmentWriter(home.segments(names(name)), "part", LocalHost.name, typed.asJava, conf.segmentBytes)
        val written = try {
          val parse = new FileParse(name, output.schema, writer)
          found.foreach(parse.read(_, output.format))
          writer.finish(true).asScala.toSeq
        } finally {
          writer.close()
        }
        bytesCopied += written.map(_.bytes).sum
        written
      }
    }
    new Manifest(names(name), typed.asJava, segments.asJava)
  }

  private def missing(name: String, expected: String, files: JobFiles): Nothing = {
    val last = printed(files).linesIterator.toSeq.lastOption.fold("it printed nothing")(line => s"its last line: ${line.take(200)}")
    throw new SparkGapException(SparkGapException.DATA, s"outputs.$name", s"$expected, when all ranks have ended", s"none ($last)",
      "Do let the program write it, or leave the output out")
  }

  private def columns(name: String, output: MpiOutput) = Types.columns(s"outputs.$name", output.schema)

  private def release(exported: Exported): Unit = if (exported.copies > 0) Homes.tables().deleteSegments(exported.manifest.segments)

  private def report(tables: Seq[Manifest], ranks: Int, threads: Int, result: JobResult, files: JobFiles): InternalRow = {
    val byName = request.outputs.keys.toSeq.zip(tables)
    val logs = request.logs.toSeq.flatMap(folder => (0 until ranks).map(rank => rank -> folder.resolve(s"rank-$rank.log")).filter(log => Files.exists(log._2)))
    InternalRow(map(byName.map { case (name, table) => string(name) -> string(StoreTable.qualified(table.name)) }), string(stem), rowsIn, tables.map(_.rows).sum, ranks, threads,
      (System.nanoTime() - start) / 1e9, map(phases.toSeq.map { case (phase, seconds) => string(phase) -> seconds }), bytesCopied, result.peakRssBytes,
      map(logs.map { case (rank, path) => rank -> string(path.toString) }), string(printed(files)))
  }

  /** The last that rank 0 printed. */
  private def printed(files: JobFiles): String = {
    val log = files.logs.resolve("rank-0.log")
    if (!Files.exists(log)) ""
    else Using.resource(new RandomAccessFile(log.toFile, "r")) { in =>
      val bytes = new Array[Byte](math.min(in.length, MpiCall.PrintedBytes).toInt)
      in.seek(in.length - bytes.length)
      in.readFully(bytes)
      new String(bytes, UTF_8).stripTrailing
    }
  }

  /** A free table name for each output, all with one beginning. */
  private def tableNames(): Map[String, String] = {
    val tables = Homes.tables()
    request.result match {
      case Some(prefix) => request.outputs.map { case (name, _) => name -> ResultName.choose(tables, stem, Some(s"${prefix}_$name")) }
      case None => Iterator.continually(ResultName.choose(tables, stem, None)).map(prefix => request.outputs.map { case (name, _) => name -> s"${prefix}_$name" })
        .find(_.values.forall(tables.get(_) == null)).get
    }
  }

  private def timeout: Duration = request.timeoutSeconds.map(s => Duration.ofMillis(math.max(1, (s * 1e3).toLong))).getOrElse(conf.timeout)

  private def timed[T](phase: String)(body: => T): T = {
    val begin = System.nanoTime()
    try body
    finally phases = phases.updated(phase, phases.getOrElse(phase, 0.0) + (System.nanoTime() - begin) / 1e9)
  }

  private def map(pairs: Seq[(Any, Any)]): ArrayBasedMapData = ArrayBasedMapData(pairs.map(_._1).toArray[Any], pairs.map(_._2).toArray[Any])

  private def string(text: String): UTF8String = UTF8String.fromString(text)
}

private[spark] object MpiCall {
  private val PrintedBytes = 4096L
}
