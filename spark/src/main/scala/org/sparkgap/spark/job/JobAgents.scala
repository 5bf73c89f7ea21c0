// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.job

import java.nio.file.attribute.FileTime
import java.time.Instant
import java.util.{List => JList}
import java.util.concurrent.{ConcurrentHashMap, TimeUnit}
import java.util.concurrent.locks.LockSupport

import scala.concurrent.ExecutionContext
import scala.jdk.CollectionConverters._
import scala.util.{Failure, Success}

import org.apache.spark.{Partition, SimpleFutureAction, SparkContext, TaskContext}
import org.apache.spark.rdd.RDD
import org.apache.spark.resource.{ResourceProfile, ResourceProfileBuilder, TaskResourceRequests}
import org.sparkgap.launch.{Agents, HostPart, HostReport, LostHostException, RunningJob}
import org.sparkgap.spark.affinity.{RankClaim, RankPlace}
import org.sparkgap.spark.application.ClusterExecutors
import org.sparkgap.store.SparkGapException

/**
 * The agents of a job: a barrier stage with one task for each executor of the job's hosts, which takes all of its cores.
 *
 * The first task of a host that reports is its agent. Spark starts all tasks or none, so jobs cannot block each other with half
 * of the hosts each; nothing in it waits at a barrier, which would cost a second.
 */
private[spark] final class JobAgents(context: SparkContext, key: String, hosts: Seq[String], task: AgentTask, running: RunningJob) extends Agents with AutoCloseable {
  private final class Host {
    var agent: String = _
    var report: HostReport = _
    var heard: Long = System.nanoTime()
    var fetchedBytes = 0L
    var fetchSeconds = 0.0
    var taken: Option[ProgramPlan.Taken] = None
    var clockAhead = Long.MaxValue
    var memoryFrom: JobMemory.Source = JobMemory.Source.Nobody
    var memorySeconds = 0.0
    var cpus: Seq[String] = Nil
  }

  private val states = hosts.map(_ -> new Host).toMap
  private var parts: Map[String, HostPart] = Map.empty
  private var failure: String = _
  private var wasCancelled = false
  private var over = false
  /** When the first task had reported, 0 = none yet. */
  private var met = 0L
  private var job: SimpleFutureAction[Unit] = _

  override def gather(): Unit = {
    hosts.indices.find(deserted).foreach(i => throw new LostHostException(
      SparkGapException.sentence(s"agent on host ${hosts(i)}", "an executor there", "none any more", "Do look at that executor's log and run again"), hosts(i)))
    AgentAnswers().put(key, receive)
    val executors = hosts.flatMap(ClusterExecutors().on)
    val standIns = new ExecutorRDD(context, executors.map(_.host)).withResources(AgentAnswers().profile(executors.map(_.cores).min))
    val tasks = standIns.barrier().mapPartitions(task)
    job = ShownCall.ofRanks(context, running)(context.submitJob[Unit, Unit, Unit](tasks, (_: Iterator[Unit]) => (), tasks.partitions.indices, (_, _) => (), ()))
    job.onComplete {
      case Success(_) => ended("their tasks have ended", cancelled = false)
      case Failure(e) => ended(String.valueOf(e.getMessage).linesIterator.take(2).mkString(" ").take(400), JobAgents.isCancelled(e))
    }(ExecutionContext.global)
  }

  override def start(forHosts: JList[HostPart]): Unit = synchronized { parts = hosts.zip(forHosts.asScala).toMap }

  /** An agent's message. */
  private def receive(message: AgentMessage): AgentAnswer = synchronized {
    notifyAll()
    message match {
      case _ if over => AgentAnswer.Stop
      case AgentMessage.Hello(_, host, executor) =>
        if (met == 0) met = System.nanoTime()
        states.get(host) match {
          case None => AgentAnswer.Stop  // Spark put it where we have nothing to do
          case Some(_) if parts.isEmpty => AgentAnswer.Wait
          case Some(state) if state.agent == null || state.agent == executor =>
            heard(host)(_.agent = executor)
            AgentAnswer.Lead(parts(host))
          case _ => AgentAnswer.Hold
        }
      case AgentMessage.Fetch(_, host, bytes, seconds) =>
        heard(host) { state =>
          state.fetchedBytes = bytes
          state.fetchSeconds = seconds
        }
      case AgentMessage.Took(_, host, taken) => heard(host)(state => state.taken = Some(taken))
      case AgentMessage.Memory(_, host, from, seconds) =>
        heard(host) { state =>
          state.memoryFrom = from
          state.memorySeconds = seconds
        }
      case AgentMessage.Cpus(_, host, ofRanks, problem) =>
        problem.foreach(why => RankClaim.log.warn(s"host $host: $why"))
        heard(host)(_.cpus = ofRanks)
      case AgentMessage.Word(_, _, null) => AgentAnswer.Go  // of a task that only holds cores
      case AgentMessage.Word(_, host, report) =>
        heard(host) { state =>
          state.report = report
          state.clockAhead = math.min(state.clockAhead, JobAgents.clock() - report.sent)
        }
    }
  }

  /** A word of a host's agent. */
  private def heard(host: String)(note: Host => Unit): AgentAnswer = {
    states.get(host).foreach { state =>
      state.heard = System.nanoTime()
      note(state)
    }
    AgentAnswer.Go
  }

  override def report(host: Int): HostReport = synchronized(states(hosts(host)).report)

  /** Before the first task has reported all may be silent: cores are busy. As Spark starts all tasks at once, the others are due from then on. */
  override def silentSince(host: Int): Long = synchronized {
    val state = states(hosts(host))
    if (state.agent != null) state.heard else if (met != 0) met else System.nanoTime()
  }

  override def clockAhead(host: Int): Long = synchronized(states(hosts(host)).clockAhead)

  override def deserted(host: Int): Boolean = ClusterExecutors().on(hosts(host)).isEmpty

  /** Bytes that all hosts have fetched, and seconds of the slowest. */
  def fetched: (Long, Double) = synchronized((states.values.map(_.fetchedBytes).sum, states.values.map(_.fetchSeconds).max))

  def taken: Map[String, ProgramPlan.Taken] = synchronized(states.flatMap { case (host, state) => state.taken.map(host -> _) })

  /** Who gave the hosts' memory, and seconds of the slowest. */
  def memory: (JobMemory.Source, Double) = synchronized((JobMemory.Source.all(states.values.map(_.memoryFrom)), states.values.map(_.memorySeconds).max))

  /** Where the ranks are bound. */
  def rankPlaces: Seq[RankPlace] = synchronized(hosts.flatMap(host => states(host).cpus.map(RankPlace(host, _))))

  override def lost(): String = synchronized(failure)

  override def cancelled(): Boolean = synchronized(!over && wasCancelled)

  override def await(millis: Long): Unit = synchronized(wait(millis))

  /** Lets the tasks go; where the job has not ended well, after they have killed their ranks. A thread that was interrupted waits too. */
  override def close(): Unit = {
    synchronized { over = true }
    if (job != null && !job.isCompleted) {
      val interrupted = Thread.interrupted()  // who has interrupted the call still wants to find no rank after it
      val end = System.nanoTime() + JobAgents.LeaveNanos
      while (!job.isCompleted && System.nanoTime() < end) LockSupport.parkNanos(JobAgents.LookNanos)
      if (!job.isCompleted) job.cancel()
      if (interrupted) Thread.currentThread().interrupt()
    }
    AgentAnswers().forget(key)
  }

  private def ended(why: String, cancelled: Boolean): Unit = synchronized {
    failure = why
    wasCancelled = cancelled
    notifyAll()
  }
}

private[spark] object JobAgents {
  /** So long tasks may take to see that the job is over. */
  private val LeaveNanos = 2000000000L
  private val LookNanos = 2000000L
  private def clock(): Long = FileTime.from(Instant.now()).to(TimeUnit.NANOSECONDS)

  /** Whether somebody has cancelled a job of Spark, and it has not failed. */
  def isCancelled(failure: Throwable): Boolean = String.valueOf(failure.getMessage).contains("SPARK_JOB_CANCELLED")
}

/** An element for each executor, near it. */
private[spark] final class ExecutorRDD(context: SparkContext, hosts: Seq[String]) extends RDD[Int](context, Nil) {
  override protected def getPartitions: Array[Partition] = hosts.indices.map(i => new Partition { override val index: Int = i }).toArray

  override def compute(split: Partition, context: TaskContext): Iterator[Int] = Iterator(split.index)

  override protected def getPreferredLocations(split: Partition): Seq[String] = Seq(hosts(split.index))
}
