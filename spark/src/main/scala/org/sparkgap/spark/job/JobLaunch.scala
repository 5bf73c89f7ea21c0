// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.job

import java.util.{Map => JMap}

import scala.jdk.CollectionConverters._

import org.apache.spark.SparkContext
import org.sparkgap.launch.{Job, JobResult, JobRun, Mpi, Program, RunningJob}
import org.sparkgap.spark.affinity.{RankBinding, RankPlace}
import org.sparkgap.spark.application.Conf
import org.sparkgap.spark.memory.JobMemory
import org.sparkgap.spark.segments.{BroughtSegments, Homes, SegmentFolders, Tier}
import org.sparkgap.store.Manifest

/**
 * The result of a job that succeeded, and what it cost.
 *
 * @param fetchedBytes
 *   bytes that hosts fetched from others before their ranks started
 * @param fetchSeconds
 *   of the slowest host
 * @param memoryBytes
 *   that was requested for the ranks, on all hosts together
 * @param memoryFrom
 *   who gave it
 * @param memorySeconds
 *   until the last host had it
 * @param rankPlaces
 *   where the ranks were pinned
 * @param taken
 *   what each host has read of a user's program's files, in the order of hosts
 */
private[spark] final case class JobOutcome(place: Placement, result: JobResult, fetchedBytes: Long,
    fetchSeconds: Double, memoryBytes: Long, memoryFrom: JobMemory.Source, memorySeconds: Double,
    rankPlaces: Seq[RankPlace], taken: Seq[ProgramPlan.Taken])

/**
 * Starts a job's ranks on the right hosts, and provides the folder of their result.
 *
 * @param label
 *   names the folder of its result, which is new for each run
 * @param bytes
 *   the memory of all ranks; None asks the kernel
 * @param program
 *   what each host does for a user's program, whose outputs have folders of their own; None for a kernel
 */
private[spark] final class JobLaunch(context: SparkContext, conf: Conf, place: Placement, tier: Tier, label: String,
    key: String,
    fetches: Map[String, Seq[BroughtSegments.Wanted]], bytes: Option[Long],
    program: Option[ProgramPlan] = None) {
  private val folder = if (program.isEmpty) SegmentFolders().begin(label) else ""

  /**
   * Errors: code 5 and others, as JobRun.run says.
   *
   * @param job
   *   as JobLaunch.job makes it
   * @param rendered
   *   called for inputs of a user's program whose segments are no longer needed, because the program reads them from a
   *   file
   */
  def run(job: Job, running: RunningJob, rendered: String => Unit = _ => ()): JobOutcome = {
    val hosts = place.rankHosts.distinct
    val mpi = if (place.ranks > 1) Mpi.find(conf.mpiexec, System.getenv("PATH")) else null
    running.on(s"${JobLaunch.count(place.ranks, "rank")} on ${if (place.onDriversHost) "the driver's host"
      else JobLaunch.count(hosts.length, "host")}")
    val work =
      HostWork(key, HostPrograms.of(job.program, Option(mpi)), folder, tier, fetches, bytes.map(_ / place.ranks),
        RankBinding(conf.rankAffinity, place.apart), program)
    val agents = if (place.onDriversHost)
      new OwnAgent(context, hosts.head, work, conf.silence.toNanos, running, rendered)
    else if (context.getConf.getBoolean("spark.dynamicAllocation.enabled", false))
      new PlainStageAgents(context, hosts, work, conf.silence.toNanos, running)
    else new StageAgents(context, hosts, work, conf.silence.toNanos, running)
    val address = if (place.onDriversHost) "127.0.0.1" else context.getConf.get("spark.driver.host")
    agents.outcome(place, JobRun.run(job, mpi, running, agents, address, conf.silence))
  }

  /** Removes the partial result of a failed job. */
  def discard(): Unit = SegmentFolders().end(folder)
}

private[spark] object JobLaunch {

  /**
   * A job that can start now. Errors: StoppedException if its time is over.
   *
   * @param values
   *   of the kernel's parameters, by name
   * @param inputs
   *   tables by the names of inputs; null for one that is not given
   */
  def job(conf: Conf, place: Placement, key: String, program: Program, values: JMap[String, Any],
      inputs: JMap[String, Manifest], running: RunningJob): Job =
    new Job(key, program, Homes().current().jobs.resolve(key), place.threads, place.rankHosts.asJava, values, inputs,
      conf.segmentBytes, Deadline.left(running))

  def count(n: Int, what: String): String = if (n == 1) s"1 $what" else s"$n ${what}s"
}
