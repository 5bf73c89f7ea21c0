// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.job

import org.apache.spark.SparkContext
import org.sparkgap.launch.RunningJob
import org.sparkgap.spark.application.ClusterExecutors

/**
 * Agents on the hosts of executors: a barrier stage with one task for each executor of the job's hosts. Each task takes
 * all cores of its executor.
 *
 * The first task of a host that reports is its agent. Spark starts all tasks or none, so two jobs cannot block each
 * other with half of the hosts each. No task waits at a barrier, which would cost a second.
 */
private[spark] final class StageAgents(context: SparkContext, hosts: Seq[String], work: HostWork, silenceNanos: Long,
    running: RunningJob)
    extends JobAgents(context, work.key, hosts, running) {
  override def gather(): Unit = {
    hosts.indices.find(deserted).foreach(requireExecutor)
    val executors = hosts.flatMap(ClusterExecutors().on)
    val each =
      new ExecutorRDD(context, executors.map(_.host)).withResources(AgentAnswers().profile(executors.map(_.cores).min))
    val tasks = each.barrier().mapPartitions(new AgentTask(work, silenceNanos, together = true))
    stand(context.submitJob[Unit, Unit, Unit](tasks, (_: Iterator[Unit]) => (), tasks.partitions.indices, (_, _) => (),
        ()))
  }

  override def deserted(host: Int): Boolean = ClusterExecutors().on(hosts(host)).isEmpty

  override protected def leave(): Unit = awaitTasks(Option(standing).toSeq)
}
