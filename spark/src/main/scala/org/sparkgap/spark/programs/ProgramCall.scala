// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.programs

import java.nio.file.{Files, Path}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.ArrayBasedMapData
import org.apache.spark.unsafe.types.UTF8String
import org.sparkgap.launch.{JobException, Jobs, RunningJob}
import org.sparkgap.spark.affinity.RankPlace
import org.sparkgap.spark.application.{CallEnded, CallMetrics, ClusterExecutors, Conf}
import org.sparkgap.spark.formats.ArgumentTemplate
import org.sparkgap.spark.job.{Deadline, JobOutcome, ProgramFigures, Retry, ShownCall}
import org.sparkgap.spark.segments.Homes
import org.sparkgap.spark.table.{ResultName, ResultNames, StoreTable, UnnamedResults}
import org.sparkgap.store.Manifest

/**
 * One CALL of a user's program: tables to segments or files, the job, what it wrote as tables of the store.
 *
 * However it ends, no file is left but the tables of a call that succeeded.
 */
private[spark] final class ProgramCall(session: SparkSession, request: ProgramRequest) {
  private val conf = Conf.of(session)
  private val start = System.nanoTime()
  private val stem = request.name

  def run(): InternalRow = {
    ArgumentTemplate.fill(request.arguments, ProgramRun.places(request).map(_ -> "").toMap)
    ClusterExecutors().await(session.sparkContext)
    val running = Jobs.begin(stem)
    try Deadline.during(session.sparkContext, running, Deadline.limit(request.timeoutSeconds, conf)) {
        val outputs = request.outputs.keys.toSeq
        val reserved = ResultNames().reserveAll(stem, request.result, outputs.map("_" + _))
        try {
          val names = outputs.zip(reserved).toMap
          CallEnded.during(session.sparkContext, stem)(ShownCall.during(session, running)(Retry(running, conf.retries,
                request)(anew)((key, request) => once(running, key, request, names))))(_._2)._1
        } finally {
          reserved.foreach(_.close())
        }
      }
    finally running.close()
  }

  /** The inputs planned anew, from what Spark can compute again. */
  private def anew(
      request: ProgramRequest): ProgramRequest = request.copy(inputs = request.inputs.map { case (name, input) =>
    name -> input.copy(data = input.data.toDF())
  })

  private def once(
      running: RunningJob, key: String, request: ProgramRequest, names: Map[String, ResultName])
      : (InternalRow, CallEnded) = {
    val logs = new ProgramLogs(Homes().current(), key)
    val attempt = new ProgramRun(session, conf, request, key,
      names.map { case (name, reserved) => name -> reserved.name }, logs, running)
    var done = Seq.empty[String]
    try {
      val (tables, outcome) =
        try attempt.run()
        finally request.logs.foreach(logs.keep)
      val row = report(tables, outcome, attempt.figures, logs.printed)
      CallMetrics().add(attempt.figures.phases, attempt.figures.bytesCopied)
      tables.zip(request.outputs.keys).foreach { case (table, name) =>
        names(name).put(table)
        done :+= table.name
      }
      if (request.result.isEmpty) UnnamedResults().add(tables.map(_.name))
      val place = outcome.place
      (row,
        CallEnded(
          stem,
          ranks = place.ranks,
          threads = place.threads,
          rowsIn = attempt.figures.rowsIn,
          rowsOut = tables.map(_.rows).sum,
          bytesCopied = attempt.figures.bytesCopied,
          peakRssBytes = outcome.result.peakRssBytes,
          phases = attempt.figures.phases.toMap
        ))
    } catch {
      case e: Throwable =>
        done.foreach(StoreTable.drop)
        attempt.discard()
        throw withLog(e)
    } finally {
      attempt.close()
      logs.delete()
    }
  }

  /** The error of a rank names its log, where it is kept. */
  private def withLog(e: Throwable): Throwable = e match {
    case job: JobException if job.rank != null && log(job.rank).isDefined =>
      val words = job.text.linesIterator.next()
      new JobException(job.code, s"$words Its log is in ${log(job.rank).get}.", job.rank, job.host, job.signal,
        job.logTail)
    case other => other
  }

  /** Where what a rank printed is kept. */
  private def log(rank: Int): Option[Path] = request.logs.map(_.resolve(s"rank-$rank.log")).filter(Files.exists(_))

  private def report(
      tables: Seq[Manifest], outcome: JobOutcome, figures: ProgramFigures, printed: String): InternalRow = {
    val byName = request.outputs.keys.toSeq.zip(tables)
    val logs = (0 until outcome.place.ranks).flatMap(rank => log(rank).map(rank -> _))
    InternalRow(
      map(byName.map { case (name, table) => string(name) -> string(StoreTable.qualified(table.name)) }),
      string(stem),
      figures.rowsIn,
      tables.map(_.rows).sum,
      outcome.place.ranks,
      outcome.place.threads,
      (System.nanoTime() - start) / 1e9,
      map(figures.phases.toSeq.map { case (phase, seconds) => string(phase) -> seconds }),
      figures.bytesCopied,
      outcome.result.peakRssBytes,
      map(logs.map { case (rank, path) => rank -> string(path.toString) }),
      string(printed),
      RankPlace.row(outcome.rankPlaces)
    )
  }

  private def map(pairs: Seq[(Any, Any)]): ArrayBasedMapData =
    ArrayBasedMapData(pairs.map(_._1).toArray[Any], pairs.map(_._2).toArray[Any])

  private def string(text: String): UTF8String = UTF8String.fromString(text)
}
