// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.application

import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._

import org.apache.spark.SparkContext
import org.apache.spark.scheduler.{SparkListener, SparkListenerExecutorAdded, SparkListenerExecutorRemoved}

/** The executors of this application, by id. */
private[spark] final class ClusterExecutors {
  import ClusterExecutors._

  private val alive = new ConcurrentHashMap[String, Executor]

  def listen(context: SparkContext): Unit = {
    context.addSparkListener(new SparkListener {
      override def onExecutorAdded(event: SparkListenerExecutorAdded): Unit =
        if (event.executorId != "driver") alive.put(event.executorId,
          Executor(event.executorId, event.executorInfo.executorHost, event.executorInfo.totalCores))

      override def onExecutorRemoved(event: SparkListenerExecutorRemoved): Unit = alive.remove(event.executorId)
    })
  }

  /**
   * Waits for the first executor, as any job of Spark does, if there will be any: until then a cluster looks like one
   * host.
   */
  def await(context: SparkContext): Unit = if (!context.isLocal && alive.isEmpty) context.parallelize(Seq(0), 1).count()

  def all: Seq[Executor] = alive.values.asScala.toSeq.sortBy(_.id)

  def on(host: String): Seq[Executor] = all.filter(_.host == host)
}

private[spark] object ClusterExecutors extends DriverPart(new ClusterExecutors) {
  final case class Executor(id: String, host: String, cores: Int)
}
