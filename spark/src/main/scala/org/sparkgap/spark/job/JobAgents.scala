// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.job

import java.nio.file.attribute.FileTime
import java.time.Instant
import java.util.{List => JList}
import java.util.concurrent.TimeUnit
import java.util.concurrent.locks.LockSupport

import scala.concurrent.ExecutionContext
import scala.jdk.CollectionConverters._
import scala.util.{Failure, Success}

import org.apache.spark.{Partition, SimpleFutureAction, SparkContext, TaskContext}
import org.apache.spark.rdd.RDD
import org.sparkgap.launch.{Agents, HostPart, HostReport, JobResult, LostHostException, RunningJob}
import org.sparkgap.spark.affinity.{RankClaim, RankPlace}
import org.sparkgap.spark.memory.JobMemory
import org.sparkgap.store.SparkGapException

/**
 * The agents of a job, with their reports, and the Spark job that stands for its ranks: every way to cancel that job
 * ends the ranks.
 */
private[spark] abstract class JobAgents(
    context: SparkContext, key: String, hosts: Seq[String], running: RunningJob) extends Agents {
  protected final class Host {
    var agent: String = _
    var task: Long = _
    var report: HostReport = _
    var heard: Long = System.nanoTime()
    var fetchedBytes = 0L
    var fetchSeconds = 0.0
    var taken: Option[ProgramPlan.Taken] = None
    var clockAhead = Long.MaxValue
    var look: Option[String] = None
    var memoryBytes = 0L
    var memoryFrom: JobMemory.Source = JobMemory.Source.Nobody
    var memorySeconds = 0.0
    var cpus: Seq[String] = Nil
  }

  private val states = hosts.map(_ -> new Host).toMap
  private var parts: Map[String, HostPart] = Map.empty
  private var failure: String = _
  private var wasCancelled = false
  private var news = false
  private var ending = false
  protected var over = false

  /** When the first task reported, 0 before that. */
  private var met = 0L
  protected var standing: SimpleFutureAction[Unit] = _

  /** Starts the Spark job that stands for the ranks. */
  protected def stand(submit: => SimpleFutureAction[Unit]): Unit = {
    AgentAnswers().put(key, receive)
    standing = ShownCall.ofRanks(context, running)(submit)
    standing.onComplete {
      case Success(_) => if (!mayEndEarly) ended("their tasks have ended", cancelled = false)
      case Failure(e) => ended(String.valueOf(e.getMessage).linesIterator.take(2).mkString(" ").take(400),
          String.valueOf(e.getMessage).contains("SPARK_JOB_CANCELLED"))
    }(ExecutionContext.global)
  }

  override def start(forHosts: JList[HostPart]): Unit = synchronized { parts = hosts.zip(forHosts.asScala).toMap }

  /** A message of an agent, or of a task that stands for one. */
  protected def receive(message: AgentMessage): AgentAnswer = synchronized {
    wake()
    message match {
      case _ if over => AgentAnswer.Stop
      case AgentMessage.Hello(_, host, executor, task) =>
        if (met == 0) met = System.nanoTime()
        states.get(host) match {
          case None => AgentAnswer.Stop // Spark started it on a host without ranks
          case Some(_) if parts.isEmpty => AgentAnswer.Wait
          case Some(state) if state.agent == null || state.task == task =>
            heard(host) { state =>
              state.agent = executor
              state.task = task
            }
            AgentAnswer.Lead(parts(host))
          case _ => AgentAnswer.Hold
        }
      case AgentMessage.Fetch(_, host, bytes, seconds) =>
        heard(host) { state =>
          state.fetchedBytes = bytes
          state.fetchSeconds = seconds
        }
      case AgentMessage.Took(_, host, taken) => heard(host)(_.taken = Some(taken))
      case AgentMessage.Look(_, host, look) =>
        val answer = heard(host)(_.look = Some(look))
        val looks = hosts.flatMap(states(_).look)
        if (answer != AgentAnswer.Go) answer
        else if (looks.length < hosts.length) AgentAnswer.Wait
        else AgentAnswer.Looks(looks)
      case AgentMessage.Memory(_, host, bytes, from, seconds) =>
        heard(host) { state =>
          state.memoryBytes = bytes
          state.memoryFrom = from
          state.memorySeconds = seconds
        }
      case AgentMessage.Cpus(_, host, ofRanks, problem) =>
        problem.foreach(why => RankClaim.log.warn(named(host, why)))
        heard(host)(_.cpus = ofRanks)
      case AgentMessage.Word(_, _, null) => AgentAnswer.Go // of a task that only holds cores
      case AgentMessage.Word(_, host, report) =>
        heard(host) { state =>
          state.report = report
          state.clockAhead = math.min(state.clockAhead, JobAgents.clock() - report.sent)
        }
    }
  }

  /** Whether tasks may end while others are still to come. */
  protected def mayEndEarly: Boolean = false

  /** The executor whose task is the agent of a host; null before there is one. */
  protected def agentOf(host: String): String = states(host).agent

  /** Always fails. Errors: LostHostException. */
  protected def requireExecutor(host: Int): Nothing = throw new LostHostException(
    SparkGapException.sentence(s"agent on host ${hosts(host)}", "an executor there", "none any more",
      "Do look at that executor's log and run again"),
    hosts(host)
  )

  /** Gives the tasks a moment to see that the job is over, and then cancels them. */
  protected def awaitTasks(jobs: Seq[SimpleFutureAction[Unit]]): Unit = {
    val end = System.nanoTime() + JobAgents.LeaveNanos
    while (jobs.exists(!_.isCompleted) && System.nanoTime() < end) LockSupport.parkNanos(JobAgents.LookNanos)
    jobs.filterNot(_.isCompleted).foreach(_.cancel())
  }

  /** The log's words for a host. */
  protected def named(host: String, text: String): String = s"host $host: $text"

  /** A report of a host's agent. */
  private def heard(host: String)(note: Host => Unit): AgentAnswer = {
    states.get(host).foreach { state =>
      state.heard = System.nanoTime()
      note(state)
    }
    if (ending) AgentAnswer.Stop else AgentAnswer.Go
  }

  protected def wake(): Unit = {
    news = true
    notifyAll()
  }

  override def report(host: Int): HostReport = synchronized(states(hosts(host)).report)

  /**
   * Before the first report all tasks may be silent, because cores are busy. Spark starts all tasks at once, so from
   * then on the others are due.
   */
  override def silentSince(host: Int): Long = synchronized {
    val state = states(hosts(host))
    if (state.agent != null) state.heard else if (met != 0) met else System.nanoTime()
  }

  override def clockAhead(host: Int): Long = synchronized(states(hosts(host)).clockAhead)

  /** Figures of the job besides those of its ranks. */
  def outcome(place: Placement, result: JobResult): JobOutcome = synchronized {
    val all = hosts.map(states)
    JobOutcome(
      place,
      result,
      all.map(_.fetchedBytes).sum,
      all.map(_.fetchSeconds).max,
      all.map(_.memoryBytes).sum,
      JobMemory.Source.all(all.map(_.memoryFrom)),
      all.map(_.memorySeconds).max,
      hosts.flatMap(host => states(host).cpus.map(RankPlace(host, _))),
      all.flatMap(_.taken)
    )
  }

  override def lost(): String = synchronized(failure)

  override def cancelled(): Boolean = synchronized(!over && wasCancelled)

  override def await(millis: Long): Unit = synchronized {
    if (!news) wait(millis)
    news = false
  }

  override def end(): Unit = synchronized { ending = true }

  override def close(): Unit = {
    synchronized {
      over = true
      wake()
    }
    // Even after an interrupt no rank may survive the call.
    val interrupted = Thread.interrupted()
    try leave()
    finally {
      AgentAnswers().forget(key)
      if (interrupted) Thread.currentThread().interrupt()
    }
  }

  /** Until the ranks have ended and their agents are gone. */
  protected def leave(): Unit

  private def ended(why: String, cancelled: Boolean): Unit = synchronized {
    failure = why
    wasCancelled = cancelled
    wake()
  }
}

private[spark] object JobAgents {
  private val LeaveNanos = 2000000000L
  private val LookNanos = 2000000L

  private def clock(): Long = FileTime.from(Instant.now()).to(TimeUnit.NANOSECONDS)
}

/** An element for each executor, near it. */
private[spark] final class ExecutorRDD(context: SparkContext, hosts: Seq[String]) extends RDD[Int](context, Nil) {
  override protected def getPartitions: Array[Partition] =
    hosts.indices.map(i => new Partition { override val index: Int = i }).toArray

  override def compute(split: Partition, context: TaskContext): Iterator[Int] = Iterator(split.index)

  override protected def getPreferredLocations(split: Partition): Seq[String] = Seq(hosts(split.index))
}
