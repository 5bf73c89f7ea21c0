// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark

import java.util.{Map => JMap}

import org.apache.spark.TaskFailedReason
import org.apache.spark.api.plugin.{ExecutorPlugin, PluginContext}
import org.sparkgap.launch.MpichLeftovers
import org.sparkgap.spark.affinity.{ExecutorNodes, TaskAffinity}
import org.sparkgap.spark.application.{Conf, DriverLink, ProcessState}
import org.sparkgap.spark.profile.TaskMarks
import org.sparkgap.spark.segments.{Homes, Housekeeping, OwnServer, SegmentFolders, StoreMetrics}

/** An executor's part: its home, what it tells the driver, and, where asked for, processors of their own for tasks. */
private[spark] class SparkGapExecutor extends ExecutorPlugin {
  private val marks = new TaskMarks

  override def init(plugin: PluginContext, extra: JMap[String, String]): Unit = {
    // In local mode the executor is in the driver's process and shares its home.
    val own = plugin.executorID != "driver"
    ProcessState.executor.close()
    if (own) ProcessState.executorAlone()
    TaskAffinity().start(plugin.conf, plugin.metricRegistry)
    if (own) {
      // Told to stop by the driver, an executor does so on a thread that its JVM does not wait for when the worker ends
      // it meanwhile; nor does Spark know of us before all is started.
      sys.addShutdownHook(ProcessState.executor.close()): Unit
      Homes().start(Conf.of(plugin.conf), plugin.conf.get("spark.app.id", "app"), plugin.executorID)
      StoreMetrics.register(plugin.metricRegistry)
      MpichLeftovers.sweep()
      DriverLink().set(plugin)
      ExecutorNodes.tell(plugin.executorID)
      Housekeeping().askDriver(folders =>
        DriverLink().ask(SegmentFolders.Question(plugin.executorID, Homes().all.map(_.path.toString), OwnServer().port,
            folders)).asInstanceOf[SegmentFolders.Answer])
      Housekeeping().start()
    }
  }

  override def onTaskStart(): Unit = {
    TaskAffinity().begin()
    marks.begin()
  }

  override def onTaskSucceeded(): Unit = taskEnded()

  override def onTaskFailed(why: TaskFailedReason): Unit = taskEnded()

  private def taskEnded(): Unit = {
    marks.end()
    TaskAffinity.lift()
  }

  override def shutdown(): Unit = ProcessState.executor.close()
}
