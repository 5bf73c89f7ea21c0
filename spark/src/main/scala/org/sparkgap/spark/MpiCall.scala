// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark

import java.nio.file.{Files, Path}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.ArrayBasedMapData
import org.apache.spark.unsafe.types.UTF8String
import org.slf4j.LoggerFactory
import org.sparkgap.launch.{JobException, Jobs, LostHostException, RunningJob}

/**
 * One CALL of a user's program: tables to segments or files, the job, what it wrote as tables of the store.
 *
 * However it ends, no file is left but the tables of a call that succeeded.
 */
private[spark] final class MpiCall(session: SparkSession, request: MpiRequest) {
  private val conf = Conf.of(session)
  private val start = System.nanoTime()
  private val stem = request.name
  private val names = tableNames()

  def run(): InternalRow = {
    ArgumentTemplate.fill(request.arguments, MpiAttempt.places(request).map(_ -> "").toMap)
    ClusterExecutors.await(session.sparkContext)
    val running = Jobs.begin(stem)
    try ShownCall.during(session, running)(attempts(running, 1))
    finally running.close()
  }

  /** Tried again, with inputs made anew from what Spark can compute again, where a host or an executor was lost. */
  private def attempts(running: RunningJob, number: Int): InternalRow =
    try once(running, if (number == 1) running.id else s"${running.id}-$number")
    catch {
      case e: LostHostException if number <= conf.retries && !Thread.currentThread().isInterrupted =>
        MpiCall.log.warn(s"${e.text} The job is tried again, attempt ${number + 1} of ${conf.retries + 1}.")
        attempts(running, number + 1)
    }

  private def once(running: RunningJob, key: String): InternalRow = {
    val files = new JobFiles(Homes.current(), key)
    val attempt = new MpiAttempt(session, conf, request, key, names, files, running)
    val job: MpiJob = if (LocalHost.allHere) new MpiOnThisHost(attempt) else new MpiOnHosts(attempt)
    var done = Set.empty[String]
    try {
      val outcome = try job.run() finally request.logs.foreach(files.keepLogs)
      outcome.tables.foreach { table =>
        Homes.tables().put(table)
        done += table.name
      }
      report(outcome, attempt.figures, files)
    } catch {
      case e: Throwable =>
        done.foreach(Homes.tables().drop)
        job.discard()
        throw withLog(e)
    } finally {
      attempt.close()
      files.delete()
    }
  }

  /** The error of a rank names its log, where it is kept. */
  private def withLog(e: Throwable): Throwable = e match {
    case job: JobException if job.rank != null && log(job.rank).isDefined =>
      val words = job.text.linesIterator.next()
      new JobException(job.code, s"$words Its log is in ${log(job.rank).get}.", job.rank, job.host, job.signal, job.logTail)
    case other => other
  }

  /** Where what a rank printed is kept. */
  private def log(rank: Int): Option[Path] = request.logs.map(_.resolve(s"rank-$rank.log")).filter(Files.exists(_))

  private def report(outcome: MpiOutcome, figures: MpiFigures, files: JobFiles): InternalRow = {
    val byName = request.outputs.keys.toSeq.zip(outcome.tables)
    val logs = (0 until outcome.ranks).flatMap(rank => log(rank).map(rank -> _))
    InternalRow(map(byName.map { case (name, table) => string(name) -> string(StoreTable.qualified(table.name)) }), string(stem), figures.rowsIn, outcome.tables.map(_.rows).sum,
      outcome.ranks, outcome.threads, (System.nanoTime() - start) / 1e9, map(figures.phases.toSeq.map { case (phase, seconds) => string(phase) -> seconds }),
      figures.bytesCopied, outcome.result.peakRssBytes, map(logs.map { case (rank, path) => rank -> string(path.toString) }), string(files.printed), RankPlace.row(outcome.rankPlaces))
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

  private def map(pairs: Seq[(Any, Any)]): ArrayBasedMapData = ArrayBasedMapData(pairs.map(_._1).toArray[Any], pairs.map(_._2).toArray[Any])

  private def string(text: String): UTF8String = UTF8String.fromString(text)
}

private[spark] object MpiCall {
  private val log = LoggerFactory.getLogger("org.sparkgap")
}
