// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.job

import java.nio.file.Paths

import scala.annotation.tailrec
import scala.jdk.CollectionConverters._
import scala.util.Using
import scala.util.control.ControlThrowable

import org.slf4j.LoggerFactory
import org.sparkgap.launch.{HostAgent, HostPart, HostReport, Mpi, Program, RankCpus, RunningJob}
import org.sparkgap.spark.affinity.{RankBinding, RankClaim}
import org.sparkgap.spark.application.WatchedWork
import org.sparkgap.spark.memory.{JobMemory, KernelMemory}
import org.sparkgap.spark.segments.{BroughtSegments, Homes, Tier}
import org.sparkgap.store.SparkGapException
import org.sparkgap.topology.ProcessLimits

/**
 * What an agent does for the ranks of its host: it fetches their segments, makes their files, asks for their memory and
 * processors, runs them, and reads what they wrote. When it returns, or fails, only segments of outputs are left.
 *
 * @param program
 *   executable, guard and mpiexec
 * @param output
 *   the folder of the result in the home of this process
 * @param fetches
 *   the segments of other hosts that the ranks of each host read
 * @param rankBytes
 *   the memory of each rank; None asks the kernel
 * @param binding
 *   of the ranks
 * @param plan
 *   what a user's program needs on each host; None for a kernel
 */
private[spark] final case class HostWork(key: String, program: HostPrograms, output: String, tier: Tier,
    fetches: Map[String, Seq[BroughtSegments.Wanted]],
    rankBytes: Option[Long], binding: RankBinding, plan: Option[ProgramPlan]) {
  import HostWork._

  private lazy val programs = program.here

  /** Call it on the thread that stays with the ranks to their end. Errors: those of each step. */
  def run(part: HostPart, host: String, driver: ToDriver): Unit = {
    def tell(message: AgentMessage): Unit = if (!driver.hears(message)) throw Stopped
    val brought = new BroughtSegments(fetches.getOrElse(host, Seq.empty))
    var memory: Option[JobMemory] = None
    var files: Option[ProgramFiles] = None
    var claim: Option[RankClaim] = None
    try {
      def fetched(seconds: Double): Boolean = driver.hears(AgentMessage.Fetch(key, host, brought.bytes, seconds))
      val paths = brought.bring(() => fetched(brought.seconds)).getOrElse(throw Stopped)
      val fetchSeconds = if (paths.isEmpty) 0.0 else brought.seconds
      if (paths.nonEmpty) tell(AgentMessage.Fetch(key, host, brought.bytes, fetchSeconds))
      files = plan.map(new ProgramFiles(_, host, driver))
      val made = files.fold(Map.empty[String, String])(own =>
        watched("sparkgap-render", own.prepare())(() => fetched(fetchSeconds)))
      if (!rankBytes.contains(0)) driver.begins("memory")
      val begin = System.nanoTime()
      def asking(bytes: Long, from: JobMemory.Source): Boolean =
        driver.hears(AgentMessage.Memory(key, host, bytes, from, (System.nanoTime() - begin) / 1e9))
      val need = rankBytes.map(all => KernelMemory.Need(all, all)).getOrElse(
        needed(part, host, driver, paths)(() => asking(0, JobMemory.Source.Nobody)))
      val mapped = HostAgent.mappedBytes(part, host, paths.keySet.asJava)
      def take(bytes: Long): Unit = {
        memory.foreach(_.close())
        memory = Some(new JobMemory(part.program, host, bytes, mapped))
        if (!memory.get.take(() => asking(bytes, JobMemory.Source.Nobody)) || !asking(bytes, memory.get.from))
          throw Stopped
      }
      val onDisk = HostAgent.graphBytes(part, host, Homes().stores.last)
      val free = if (onDisk == 0) 0 else ProcessLimits.read().availableMemoryBytes - part.ranks * need.bytes
      val hasLeast =
        if (free < onDisk) {
          val job = HostAgent.jobOnThisHost(part, Homes().current(tier).segments(output), paths.asJava, null)
          val speed = new KernelMemory(executable(part)).diskSpeed(job)(() => asking(0, JobMemory.Source.Nobody))
            .getOrElse(throw Stopped)
          val each = if (speed > 0) f", of about ${onDisk / speed}%.2g s" else ""
          log.warn(
            s"${part.program}: its graph has $onDisk bytes on disk, and ${math.max(0, free)} are free on $host " +
              s"beside its ranks. Arcs are read from disk again in each pass$each.")
          take(part.ranks * need.least)
          true
        } else {
          try { take(part.ranks * need.bytes); false }
          catch {
            case e: SparkGapException if e.code == SparkGapException.NO_ROOM && need.least < need.bytes =>
              take(part.ranks * need.least)
              log.warn(s"${part.program} runs with ${part.ranks * need.least} bytes, and longer. ${e.text}")
              true
          }
        }
      claim = Some(RankClaim.of(binding, part.program, part.ranks, part.threads))
      tell(AgentMessage.Cpus(key, host, claim.get.lists, claim.get.problem))
      driver.begins(RunningJob.LAUNCH)
      Using.resource(start(part, host, driver, paths ++ made, files, claim.get.cpus, hasLeast))(untilEnd(_, host,
          driver, files))
    } catch { case Stopped => }
    finally {
      val interrupted = Thread.interrupted() // an interrupted thread cannot wait
      claim.foreach(_.close())
      files.foreach(_.close())
      memory.foreach(_.close())
      brought.close()
      if (interrupted) Thread.currentThread().interrupt()
    }
  }

  private def watched[T](name: String, work: => T)(lives: () => Boolean): T =
    Using.resource(new WatchedWork(name)(work))(_.await(lives)).getOrElse(throw Stopped)

  /** The memory of each rank, as the kernel says. It looks at rows where they are, and so on each host. */
  private def needed(part: HostPart, host: String, driver: ToDriver, brought: Map[String, String])(
      lives: () => Boolean): KernelMemory.Need = {
    val kernel = new KernelMemory(executable(part))
    val job = HostAgent.jobOnThisHost(part, Homes().current(tier).segments(output), brought.asJava, null)
    @tailrec def agreed(look: String): Seq[String] = driver.ask(AgentMessage.Look(key, host, look)) match {
      case AgentAnswer.Looks(all) => all
      case AgentAnswer.Wait =>
        Thread.sleep(WaitMillis)
        agreed(look)
      case _ => throw Stopped
    }
    val looks = if (part.alone) Seq.empty else agreed(kernel.look(job, host)(lives).getOrElse(throw Stopped))
    kernel.ofRank(job, looks)(lives).getOrElse(throw Stopped)
  }

  private def executable(part: HostPart): Program =
    new Program(part.program, Paths.get(programs.executable), Paths.get(programs.guard))

  private def start(part: HostPart, host: String, driver: ToDriver, brought: Map[String, String],
      files: Option[ProgramFiles], cpus: RankCpus, hasLeastMemory: Boolean): HostAgent = {
    val mpi = if (part.proxyCommand == null) null else Mpi.find(programs.mpiexec, System.getenv("PATH"))
    val result = files.fold(Homes().current(tier).segments(output))(_.anyOutput)
    HostAgent.start(
      part,
      Homes().current().jobs.resolve(key),
      driver.isHere,
      result,
      brought.asJava,
      new Program(part.program, Paths.get(programs.executable), Paths.get(programs.guard),
        files.map(_.invocation).orNull),
      mpi,
      host,
      cpus,
      hasLeastMemory
    )
  }

  private def untilEnd(agent: HostAgent, host: String, driver: ToDriver, files: Option[ProgramFiles]): Unit = {
    def says(report: HostReport): Boolean = driver.hears(AgentMessage.Word(key, host, report))
    val report = agent.await(says(_))
    if (report.ended && report.proxyStatus == 0) files.foreach { own =>
      // The host's part has not ended until its files are read.
      driver.begins("parse")
      val taken = watched("sparkgap-parse", own.take())(() => says(HostReport.running(true, report.progress)))
      own.keep()
      driver.hears(AgentMessage.Took(key, host, taken))
    }
    if (!report.ended) agent.end()
    // The driver's error names the first failure; whoever has only an executor's log, such as YARN's, finds it here.
    if (!driver.isHere) agent.failures.forEach(words => log.warn(words))
    says(if (report.ended) report else agent.report()): Unit
  }
}

private[spark] object HostWork {
  private val log = LoggerFactory.getLogger("sparkgap")
  private val WaitMillis = 5L

  /** The driver has stopped the job. */
  private object Stopped extends ControlThrowable
}

/** The driver, as an agent reaches it. */
private[spark] trait ToDriver {

  /** Its answer. Errors: no answer. */
  def ask(message: AgentMessage): AgentAnswer

  /** False if the agent must end. Errors: no answer. */
  final def hears(message: AgentMessage): Boolean = ask(message) == AgentAnswer.Go

  /** Whether the driver is this process. */
  def isHere: Boolean = false

  /** The agent's current step, for people. */
  def begins(phase: String): Unit = ()

  /** The segments of an input are no longer needed: its rows are in the program's file. */
  def rendered(input: String): Unit = ()
}
