// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.job

import java.nio.file.Path

import org.apache.spark.SparkContext
import org.sparkgap.launch.{HostsRun, Job, JobResult, JobRun, Mpi, RunningJob}
import org.sparkgap.spark.affinity.{RankBinding, RankClaim, RankPlace}
import org.sparkgap.spark.application.{Conf, LocalHost}
import org.sparkgap.spark.segments.{BroughtSegments, Homes, SegmentFolders, Tier}

/**
 * Starts a job's ranks where they belong, and knows where their result is written.
 *
 * @param label of the folder of its result, which is another one for each run
 * @param bytes the memory of all ranks
 */
private[spark] final class JobLaunch(context: SparkContext, conf: Conf, place: Placement, tier: Tier, label: String, key: String,
    fetches: Map[String, Seq[BroughtSegments.Wanted]], bytes: Long, program: Option[ProgramPlan] = None) {
  /** Bytes that hosts fetched from others before their ranks started, and seconds of the slowest. */
  var fetched: (Long, Double) = (0, 0)
  /** Who gave the ranks their memory, and seconds until the last had it. */
  var memory: (JobMemory.Source, Double) = (JobMemory.Source.Nobody, 0)
  /** What each host has taken of a user's program's files. */
  var taken: Map[String, ProgramPlan.Taken] = Map.empty

  /** Where the ranks were bound. */
  var rankPlaces: Seq[RankPlace] = Nil

  private val home = Homes().current(tier)
  /** A program's outputs have folders of their own. */
  private val folder = if (program.isEmpty) SegmentFolders().begin(label) else ""

  /** Where ranks of this host write; other hosts' agents choose theirs. */
  def output: Path = if (place.here) home.segments(folder) else home.path

  /** Errors: code 5 and others, as JobRun.run and HostsRun.run say. */
  def run(job: Job, running: RunningJob): JobResult = {
    val mpi = if (place.ranks > 1 || !place.here) Mpi.find(conf.mpiexec, System.getenv("PATH")) else null
    running.on(s"${JobLaunch.count(place.ranks, "rank")} on ${if (place.here) "the driver's host" else JobLaunch.count(placeHosts.length, "host")}")
    if (place.here) {
      StandIn.during(context, key, running)(here(job, mpi, running))
    } else {
      if (context.getConf.getBoolean("spark.dynamicAllocation.enabled", false)) {
        throw LocalHost.lost("launch", "spark.dynamicAllocation.enabled=false: ranks keep the executors that their data are on", "true", "Do start the session without it")
      }
      val installed = AgentTask.Installed(job.program.executable.toString, job.program.guard.toString, mpi.mpiexec.toString)
      val task = new AgentTask(key, installed, folder, tier, fetches, bytes / place.ranks, binding, conf.silence.toNanos, program)
      val agents = new JobAgents(context, key, placeHosts, task, running)
      try HostsRun.run(job, mpi, running, agents, context.getConf.get("spark.driver.host"), conf.silence)
      finally {
        agents.close()
        fetched = agents.fetched
        taken = agents.taken
        memory = agents.memory
        rankPlaces = agents.rankPlaces
      }
    }
  }

  private def here(job: Job, mpi: Mpi, running: RunningJob): JobResult = {
    val asked = new JobMemory(job.program.name, LocalHost.name, bytes)
    try {
      running.phase("memory")
      asked.take()
      memory = (asked.from, asked.seconds)
      val (result, places) = RankClaim.during(binding, job, mpi, running)
      rankPlaces = places
      result
    } catch {
      case _: InterruptedException =>
        Thread.currentThread().interrupt()
        throw JobRun.cancelled(job)
    } finally {
      asked.close()
    }
  }

  /** Removes what there is of a result that failed. */
  def discard(): Unit = SegmentFolders().end(folder)

  private def binding: RankBinding = RankBinding(conf.rankAffinity, place.apart)

  private def placeHosts: Seq[String] = place.rankHosts.distinct
}

private[spark] object JobLaunch {
  def count(n: Int, what: String): String = if (n == 1) s"1 $what" else s"$n ${what}s"
}
