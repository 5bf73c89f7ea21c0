// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.job

import scala.collection.mutable

import org.apache.spark.{SimpleFutureAction, SparkContext}
import org.sparkgap.launch.RunningJob
import org.sparkgap.spark.application.ClusterExecutors

/**
 * Agents where Spark starts and ends executors as it needs them, which it does not allow beside a barrier stage: a
 * plain stage with a task for each task slot of the job's hosts.
 *
 * Spark may start some of the tasks and not the others. So jobs gather their agents one after the other: no two hold
 * half of the hosts each and wait for the rest. A task that Spark starts on another host than it was meant for leaves a
 * host without an agent, for which tasks are submitted again.
 */
private[spark] final class PlainStageAgents(context: SparkContext, hosts: Seq[String], work: HostWork,
    silenceNanos: Long, running: RunningJob) extends JobAgents(context, work.key, hosts, running) {
  private val cpus = context.getConf.getInt("spark.task.cpus", 1)
  private val submitted = mutable.ArrayBuffer.empty[SimpleFutureAction[Unit]]
  private val met = mutable.Set.empty[Long]
  private var awaited = 0
  private var hasTurn = false

  override def gather(): Unit = {
    hosts.indices.find(deserted).foreach(requireExecutor)
    submit()
  }

  override def await(millis: Long): Unit = {
    submit()
    super.await(millis)
  }

  /** Of a host without an agent, tasks may wait for cores as long as other jobs of Spark have them. */
  override def silentSince(host: Int): Long =
    synchronized(if (agentOf(hosts(host)) == null) System.nanoTime() else super.silentSince(host))

  override def deserted(host: Int): Boolean = {
    val there = ClusterExecutors().on(hosts(host)).map(_.id)
    val agent = synchronized(agentOf(hosts(host)))
    if (agent == null) there.isEmpty else !there.contains(agent)
  }

  override protected def receive(message: AgentMessage): AgentAnswer = synchronized {
    message match {
      case AgentMessage.Hello(_, host, _, task) =>
        met += task
        super.receive(message) match {
          // It holds a slot that a later task would else take away from the hosts of the job.
          case AgentAnswer.Stop if !over && !hosts.contains(host) && hosts.exists(agentOf(_) == null) =>
            AgentAnswer.Wait
          case answer => answer
        }
      case _ => super.receive(message)
    }
  }

  private def submit(): Unit = {
    val lacking = synchronized(hosts.filter(agentOf(_) == null))
    if (lacking.isEmpty || over) endTurn()
    else if (synchronized(met.size >= awaited) && (hasTurn || takeTurn())) {
      val slots = lacking.flatMap(ClusterExecutors().on).flatMap(executor =>
        Seq.fill(math.max(1, executor.cores / cpus))(executor.host))
      if (slots.nonEmpty) {
        synchronized(awaited += slots.length)
        val tasks = new ExecutorRDD(context, slots).mapPartitions(new AgentTask(work, silenceNanos, together = false))
        stand(context.submitJob[Unit, Unit, Unit](tasks, (_: Iterator[Unit]) => (), tasks.partitions.indices,
            (_, _) => (), ()))
        submitted += standing
      }
    }
  }

  private def takeTurn(): Boolean = {
    hasTurn = AgentAnswers().turn.tryAcquire()
    hasTurn
  }

  private def endTurn(): Unit = if (hasTurn) {
    hasTurn = false
    AgentAnswers().turn.release()
  }

  override protected def mayEndEarly: Boolean = true

  override protected def leave(): Unit = {
    endTurn()
    awaitTasks(submitted.toSeq)
  }
}
