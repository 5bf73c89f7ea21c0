// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.kernel

import java.time.Duration
import java.util.{HashMap => JHashMap}

import scala.collection.immutable.ListMap
import scala.collection.mutable.ArrayBuffer
import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.sparkgap.launch.{Job, Jobs, Program, RunningJob, StoppedException}
import org.sparkgap.spark.application.{CallEnded, CallMetrics, Conf, SparkCores, SparkGapError}
import org.sparkgap.spark.call.{Arguments, KernelSpec}
import org.sparkgap.spark.export.{Export, Exported}
import org.sparkgap.spark.job.{Deadline, JobLaunch, Placement, Retry, ShownCall}
import org.sparkgap.spark.memory.{JobMemory, KernelMemory}
import org.sparkgap.spark.published.StoredGraphs
import org.sparkgap.spark.segments.Tier
import org.sparkgap.spark.table.{ResultLineage, ResultNames, StoreTable, UnnamedResults}
import org.sparkgap.store.{Manifest, SegmentInfo, SparkGapException}

/**
 * One CALL of a kernel: inputs to segments, the job, its segments as a table of the store.
 *
 * `frames` are inputs that have no name to be found by.
 *
 * However it ends, exported segments that were only this call's are gone; where it fails, so is what there is of a
 * result.
 */
private[spark] final class KernelCall(session: SparkSession, spec: KernelSpec, arguments: Arguments,
    frames: Map[String, DataFrame] = Map.empty) {
  private val conf = Conf.of(session)
  private val start = System.nanoTime()
  private val borrowed = ArrayBuffer.empty[Exported]

  def run(): CallReport = {
    val running = Jobs.begin(spec.name)
    try Deadline.during(session.sparkContext, running, limit)(Using.resource(ResultNames().reserve(spec.name,
            arguments.result)) { reserved =>
          val (inputs, parameters) = KernelInput.resolve(session, spec, arguments, frames)
          val (table, report) = made(reserved.name, inputs, parameters, running)
          try reserved.put(table)
          catch { case e: Throwable => StoreTable.deleteSegments(table); throw e }
          ResultLineage().remember(table)(new KernelCall(session, spec, arguments).again(table.name, inputs,
              parameters))
          if (arguments.result.isEmpty && table.graph == null) UnnamedResults().add(Seq(table.name))
          report
        })
    finally running.close()
  }

  /** The table once more, after some of it was lost. */
  private def again(name: String, inputs: Seq[KernelInput], parameters: Map[String, Any]): Manifest = {
    val running = Jobs.begin(spec.name)
    try Deadline.during(session.sparkContext, running, limit)(made(name, inputs.map(KernelInput.anew), parameters,
          running)._1)
    finally running.close()
  }

  private def made(name: String, inputs: Seq[KernelInput], parameters: Map[String, Any], running: RunningJob)
      : (Manifest, CallReport) =
    try {
      val (table, report) = CallEnded.during(session.sparkContext, spec.name)(ShownCall.during(session, running) {
        if (arguments.engine == "spark") onSpark(name, inputs, parameters, running)
        else Retry(running, conf.retries, inputs)(_.map(KernelInput.anew)) { (key, inputs) =>
          giveBack()
          once(name, inputs, parameters, running, key)
        }
      })(_._2.event)
      CallMetrics().add(report.phases, report.bytesCopied)
      (table, report)
    } finally giveBack()

  private def giveBack(): Unit = {
    borrowed.filter(_.copies > 0).foreach(exported => StoreTable.deleteSegments(exported.manifest))
    borrowed.clear()
  }

  private def once(name: String, inputs: Seq[KernelInput], parameters: Map[String, Any], running: RunningJob,
      key: String): (Manifest, CallReport) = {
    running.phase("export")
    val begin = System.nanoTime()
    val manifests = inputs.map {
      case TableInput(input, data) =>
        borrowed += Tier.withRoom(s"edges of ${spec.name}", 0, spec.makesGraph)(Export.borrow(data,
            s"${spec.name}_${key}_${input.name}", _, narrow = true))
        input.name -> borrowed.last.manifest
      case GraphStored(input, manifest) => input.name -> manifest
    }.toMap
    val exportSeconds = seconds(begin)
    // Segments without rows say nothing but the types of columns, and may lie where no rank is.
    val segments =
      spec.inputs.flatMap(input => manifests.get(input.name)).flatMap(_.segments.asScala).filter(_.rows > 0)
    val place = Placement.of(session.sparkContext, conf, arguments.ranks, arguments.threads, segments)
    checkRows(manifests, place)
    val byInput = new JHashMap[String, Manifest]
    spec.inputs.foreach(input => byInput.put(input.name, manifests.get(input.name).map(place.brought).orNull))
    // Graphs that memory cannot hold, and what is computed on them, go to disk; a table that is asked for does not move
    // unasked.
    val mayBeDisk = spec.makesGraph || inputs.exists(_.isInstanceOf[GraphStored])
    val program = new Program(spec.name, spec.program, conf.kernelDir.resolve(Program.GUARD))
    val job = JobLaunch.job(conf, place, key, program, values(parameters), byInput, running)
    val expected = if (spec.makesGraph) resultBytes(program, job, running) else 0
    if (spec.makesGraph) running.phase(s"build (about ${expected >> 20} MiB)")
    Tier.withRoom(s"${spec.name} $name", expected, mayBeDisk) { tier =>
      val memory =
        conf.jobMemoryBytes.orElse(if (spec.saysMemory) ofSmall(manifests.values, place) else Some(0L))
      val launch =
        new JobLaunch(session.sparkContext, conf, place, tier, name, key, place.fetches(manifests.values), memory)
      var sound = false
      try {
        val outcome = launch.run(job, running)
        import outcome.result
        val graph = Option(result.graph).map(StoredGraphs.describe(_,
            parameters.getOrElse("weight", null).asInstanceOf[String], rowsIn(manifests))).orNull
        val manifest = new Manifest(name, result.columns, result.segments, graph)
        sound = true
        val fetch =
          if (place.fetching.isEmpty) ListMap.empty[String, Double] else ListMap("fetch_s" -> outcome.fetchSeconds)
        val launchSeconds = result.launchSeconds - outcome.fetchSeconds - outcome.memorySeconds
        val phases = ListMap("export_s" -> exportSeconds) ++ fetch ++ ListMap(
          "memory_s" -> outcome.memorySeconds,
          "launch_s" -> math.max(0, launchSeconds),
          "build_s" -> result.buildSeconds,
          "compute_s" -> result.computeSeconds,
          "write_s" -> result.writeSeconds
        )
        (manifest,
          CallReport(
            StoreTable.qualified(name),
            spec.name,
            "native",
            Some(rowsIn(manifests)),
            manifest.rows,
            Some(result.iterations),
            Option(result.converged).map(_.booleanValue),
            Some(result.residual),
            place.ranks,
            place.threads,
            seconds(start),
            phases,
            borrowed.map(_.bytesCopied).sum + outcome.fetchedBytes,
            result.peakRssBytes,
            outcome.memoryBytes,
            outcome.memoryFrom,
            result.figures.asScala.toMap,
            outcome.rankPlaces
          ))
      } finally {
        if (!sound) launch.discard()
      }
    }
  }

  /** The memory of all ranks where their inputs are small: a question to the kernel would take longer than they do. */
  private def ofSmall(inputs: Iterable[Manifest], place: Placement): Option[Long] = {
    def sum(table: Manifest => Long, arcs: SegmentInfo => Long): Long =
      inputs.map(input => table(input) + Option(input.graph).fold(0L)(_.segments.asScala.map(arcs).sum)).sum
    spec.small.filter(small => sum(_.rows, _.rows) <= small.rows && sum(_.bytes, _.bytes) <= small.bytes).map(
      _.memory(place.ranks, place.threads))
  }

  private def resultBytes(program: Program, job: Job, running: RunningJob): Long =
    new KernelMemory(program).result(job.json)(() => !running.left.isNegative).getOrElse(
      throw StoppedException.late(running, null, java.util.List.of()))

  private def onSpark(name: String, inputs: Seq[KernelInput], parameters: Map[String, Any], running: RunningJob)
      : (Manifest, CallReport) = {
    val engine = SparkEngines.of(spec.name)
    running.phase("compute")
    val data = inputs.map {
      case TableInput(input, data) => input.name -> data
      case GraphStored(input, _) => SparkGapError.refuse("engine", s"native with ${input.name}", "'spark'",
          "Do pass the edges as a table, or leave engine out")
    }.toMap
    val outcome = engine.run(session, data, parameters)
    // Spark's library goes on until a tolerance is reached; after so many iterations it does not say how near it is.
    val converged =
      if (parameters.get("tolerance").exists(_ != null) || !parameters.contains("max_iterations")) Some(true) else None
    try {
      running.phase("write")
      val begin = System.nanoTime()
      val manifest = Export.write(outcome.result, name).manifest
      val phases = ListMap("export_s" -> 0.0, "memory_s" -> 0.0, "launch_s" -> 0.0, "build_s" -> outcome.buildSeconds,
        "compute_s" -> outcome.computeSeconds, "write_s" -> seconds(begin))
      (manifest,
        CallReport(
          StoreTable.qualified(name),
          spec.name,
          "spark",
          Some(outcome.rowsIn),
          manifest.rows,
          outcome.iterations,
          converged,
          None,
          0,
          SparkCores.onThisHost(session.sparkContext),
          seconds(start),
          phases,
          0,
          0,
          0,
          JobMemory.Source.Nobody
        ))
    } finally {
      outcome.release()
    }
  }

  /** Each host that holds rows of any input has a rank, asked for or not. */
  private def checkRows(manifests: Map[String, Manifest], place: Placement): Unit =
    spec.inputs.headOption.filter(_ => !manifests.values.exists(_.graph != null)).foreach { main =>
      val rows = rowsIn(manifests)
      if (rows == 0 && manifests.size == 1) {
        throw new SparkGapException(SparkGapException.DATA, main.name, "at least one row", "none",
          s"Do pass a table that has rows as ${main.name}")
      }
      if (place.ranks > math.max(place.rankHosts.distinct.length, rows)) {
        SparkGapError.refuse("ranks", s"at most $rows, the rows of ${main.name}", place.ranks.toString,
          "Choose fewer ranks")
      }
    }

  private def rowsIn(manifests: Map[String, Manifest]): Long =
    manifests.values.find(_.graph != null).map(_.graph.edges).getOrElse(
      spec.inputs.headOption.flatMap(main => manifests.get(main.name)).fold(0L)(_.rows))

  private def limit: Duration = Deadline.limit(arguments.timeoutSeconds, conf)

  private def values(parameters: Map[String, Any]): JHashMap[String, Any] = new JHashMap[String, Any](parameters.asJava)

  private def seconds(since: Long): Double = (System.nanoTime() - since) / 1e9
}
