// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.job

import java.nio.file.Paths
import java.util.concurrent.{Callable, ExecutorService, Executors, Future, TimeUnit, TimeoutException}

import scala.jdk.CollectionConverters._
import scala.util.Using
import scala.util.control.NonFatal

import org.apache.spark.{BarrierTaskContext, SparkEnv, TaskContext}
import org.sparkgap.launch.{HostAgent, HostPart, HostReport, Mpi, Program, RankCpus}
import org.sparkgap.spark.affinity.{RankBinding, RankClaim, TaskAffinity}
import org.sparkgap.spark.application.{DriverLink, SparkGapError, WatchedWork}
import org.sparkgap.spark.segments.{BroughtSegments, Homes, Housekeeping, Tier}
import org.sparkgap.store.SparkGapException

/**
 * What a task does that stands for an executor while a job runs: it is its host's agent, or holds the executor's cores.
 *
 * @param program its name and the paths of executable, guard and mpiexec, the same on every host
 * @param fetches the segments of other hosts that the ranks of each host read
 * @param rankBytes the memory of each rank
 * @param binding of the ranks
 * @param output the folder of the result in the home of this executor
 * @param foreign what a user's program needs on each host; None where the program is a kernel
 * @param silenceNanos without an answer of the driver for so long, the ranks are killed: the driver counts this host as lost by then
 */
private[spark] final class AgentTask(key: String, program: AgentTask.Installed, output: String, tier: Tier, fetches: Map[String, Seq[BroughtSegments.Wanted]],
    rankBytes: Long, binding: RankBinding, silenceNanos: Long, foreign: Option[ProgramPlan]) extends (Iterator[Int] => Iterator[Unit]) with Serializable {
  import AgentTask._

  override def apply(executor: Iterator[Int]): Iterator[Unit] = {
    TaskAffinity.lift() // ranks would have this thread's mask
    val context = BarrierTaskContext.get()
    // After a loss Spark may run some tasks of a stage again: half a job would wait for the others for ever.
    if (context.getTaskInfos().length < context.numPartitions()) throw new IllegalStateException(s"job $key: only some of its tasks were started")
    val me = SparkEnv.get.blockManager.blockManagerId
    val line = new Line
    try {
      var answer: AgentAnswer = AgentAnswer.Wait
      while (answer == AgentAnswer.Wait) {
        answer = line.ask(AgentMessage.Hello(key, me.host, me.executorId), context, silenceNanos)
        if (answer == AgentAnswer.Wait) Thread.sleep(WaitMillis)
      }
      answer match {
        case AgentAnswer.Lead(part) => lead(part, me.host, line, context)
        case AgentAnswer.Hold => hold(me.host, line, context)
        case _ =>
      }
    } finally {
      line.close()
    }
    Iterator.empty
  }

  private def lead(part: HostPart, host: String, line: Line, context: TaskContext): Unit = {
    Housekeeping().start()
    def goOn(message: AgentMessage): Boolean = line.ask(message, context, silenceNanos) == AgentAnswer.Go
    /** The body's value; where it fails, the driver is told why. */
    def orTell[T](body: => Option[T]): Option[T] =
      try body
      catch {
        case NonFatal(e) =>
          val ours = SparkGapError.find(e)
          goOn(AgentMessage.Word(key, host, HostReport.failed(ours.fold(SparkGapException.BUG)(_.code), ours.fold(e.toString)(_.text))))
          None
      }
    def watched[T](name: String, work: => T)(lives: () => Boolean): Option[T] = orTell(Using.resource(new WatchedWork(name)(work))(_.await(lives)))
    val brought = new BroughtSegments(fetches.getOrElse(host, Seq.empty))
    val memory = new JobMemory(part.program, host, rankBytes * part.ranks)
    var files: Option[ProgramFiles] = None
    var claim: Option[RankClaim] = None
    try {
      def fetched(seconds: Double): Boolean = goOn(AgentMessage.Fetch(key, host, brought.bytes, seconds))
      val paths = orTell(brought.bring(() => fetched(brought.seconds))).getOrElse(return)
      val fetchSeconds = if (paths.isEmpty) 0.0 else brought.seconds
      if (paths.nonEmpty) fetched(fetchSeconds)
      files = orTell(Some(foreign.map(new ProgramFiles(_, host)))).getOrElse(return)
      val made = files.map(own => watched("sparkgap-render", own.prepare())(() => fetched(fetchSeconds)).getOrElse(return)).getOrElse(Map.empty)
      def asking(from: JobMemory.Source): Boolean = goOn(AgentMessage.Memory(key, host, from, memory.seconds))
      val isThere = orTell(Some(memory.take(() => asking(JobMemory.Source.Nobody)))).getOrElse(return)
      if (!isThere || !asking(memory.from)) return
      claim = Some(RankClaim.of(binding, part.program, part.ranks, part.threads))
      if (!goOn(AgentMessage.Cpus(key, host, claim.get.lists, claim.get.problem))) return
      val agent = orTell(Some(start(part, host, paths ++ made, files, claim.get.cpus))).getOrElse(return)
      try {
        var report = agent.report()
        while (!report.ended && goOn(AgentMessage.Word(key, host, report))) {
          Thread.sleep(PollMillis)
          report = agent.report()
        }
        if (report.ended && report.proxyStatus == 0) files.foreach { own =>
          // Until its files are read the host's part has not ended.
          val progress = report.progress
          val taken = watched("sparkgap-parse", own.take())(() => goOn(AgentMessage.Word(key, host, HostReport.running(true, progress)))).getOrElse(return)
          own.keep()
          goOn(AgentMessage.Took(key, host, taken))
        }
        if (report.ended) goOn(AgentMessage.Word(key, host, report))
      } finally {
        agent.close()
      }
    } finally {
      claim.foreach(_.close())
      files.foreach(_.close())
      memory.close()
      brought.close()
    }
  }

  private def start(part: HostPart, host: String, brought: Map[String, String], files: Option[ProgramFiles], cpus: RankCpus): HostAgent = {
    val mpi = Mpi.find(program.mpiexec, System.getenv("PATH"))
    val result = files.fold(Homes().current(tier).segments(output))(_.anyOutput)
    HostAgent.start(part, Homes().current().jobs.resolve(key), result, brought.asJava,
      new Program(part.program, Paths.get(program.executable), Paths.get(program.guard), files.map(_.invocation).orNull), mpi, host, cpus)
  }

  private def hold(host: String, line: Line, context: TaskContext): Unit =
    while (line.ask(AgentMessage.Word(key, host, null), context, silenceNanos) == AgentAnswer.Go) Thread.sleep(HoldMillis)
}

private[spark] object AgentTask {
  /** Paths that are the same on every host. */
  final case class Installed(executable: String, guard: String, mpiexec: String)

  private val WaitMillis = 3L
  private val PollMillis = 10L
  private val HoldMillis = 50L
  private val LookMillis = 20L

  /** Asks the driver on a thread of its own: an ask that finds no driver blocks for minutes, and the task must be able to end. */
  private final class Line extends AutoCloseable {
    private val asking: ExecutorService = Executors.newSingleThreadExecutor { run =>
      val thread = new Thread(run, "sparkgap-agent")
      thread.setDaemon(true)
      thread
    }

    /** Errors: code 5 where the driver does not answer, InterruptedException where the task is to end. */
    def ask(message: AgentMessage, context: TaskContext, withinNanos: Long): AgentAnswer = {
      val answer: Future[AnyRef] = asking.submit(new Callable[AnyRef] { override def call(): AnyRef = DriverLink().ask(message) })
      val end = System.nanoTime() + withinNanos
      while (System.nanoTime() < end) {
        if (context.isInterrupted()) throw new InterruptedException("the task was killed")
        try return answer.get(LookMillis, TimeUnit.MILLISECONDS).asInstanceOf[AgentAnswer]
        catch { case _: TimeoutException => }
      }
      throw new SparkGapException(SparkGapException.LOST, "agent", "an answer of the driver", s"none within ${withinNanos / 1000000000L} s", "Do look at the network between them")
    }

    override def close(): Unit = asking.shutdownNow()
  }
}
