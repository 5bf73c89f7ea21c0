// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.published

import java.util.UUID
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicInteger

import org.apache.spark.SparkContext
import org.apache.spark.scheduler.{SparkListener, SparkListenerStageSubmitted, SparkListenerTaskEnd}
import org.sparkgap.launch.RunningJob

/** Counts the tasks of the jobs that this thread starts, until stopped, as the progress of a job of ours. */
private[spark] final class CopyProgress(context: SparkContext, job: RunningJob) {
  private val group = s"sparkgap-${UUID.randomUUID()}"
  private val stages = ConcurrentHashMap.newKeySet[Int]
  private val (tasks, ended) = (new AtomicInteger, new AtomicInteger)

  private val listener = new SparkListener {
    override def onStageSubmitted(event: SparkListenerStageSubmitted): Unit =
      if (event.properties != null && event.properties.getProperty("spark.jobGroup.id") == group && stages.add(
          event.stageInfo.stageId)) tell(tasks.addAndGet(event.stageInfo.numTasks), ended.get)

    override def onTaskEnd(event: SparkListenerTaskEnd): Unit =
      if (stages.contains(event.stageId)) tell(tasks.get, ended.incrementAndGet())
  }

  context.setJobGroup(group, "sparkgap: durable copy")
  context.addSparkListener(listener)

  def stop(): Unit = {
    context.removeSparkListener(listener)
    context.clearJobGroup()
  }

  private def tell(of: Int, done: Int): Unit = job.progress(done, of)
}
