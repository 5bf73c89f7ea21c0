// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark

import java.util.{Collections, Map => JMap}

import org.apache.spark.{SPARK_VERSION, SparkContext}
import org.apache.spark.api.plugin.{DriverPlugin, PluginContext}
import org.sparkgap.launch.Jobs
import org.sparkgap.spark.affinity.ExecutorNodes
import org.sparkgap.spark.application.{
  CallMetrics,
  ClusterExecutors,
  Conf,
  DriverLink,
  ProcessState,
  SharedServer,
  SparkGap
}
import org.sparkgap.spark.cache.StoreCacheSerializer
import org.sparkgap.spark.job.{AgentAnswers, AgentMessage}
import org.sparkgap.spark.segments.{Homes, OpenWrites, SegmentAddresses, SegmentFolders, StoreMetrics}

/** The driver's part: the catalog `sparkgap`, the driver's home, and the answers to executors. */
private[spark] class SparkGapDriver extends DriverPlugin {
  override def init(context: SparkContext, plugin: PluginContext): JMap[String, String] = {
    Conf.of(plugin.conf).requireKnownSpark(SPARK_VERSION)
    ProcessState.driver.close() // of an application that was not stopped
    // A word that is none is said before any executor starts.
    Conf.of(plugin.conf).affinity
    Conf.of(plugin.conf).rankAffinity
    Conf.of(plugin.conf).allowedPrograms
    Conf.of(plugin.conf).programs
    SharedServer().look()
    CallMetrics().register(plugin.metricRegistry)
    StoreMetrics.register(plugin.metricRegistry)
    plugin.conf.set(SparkGap.VersionKey, SparkGap.version)
    // The context's own configuration, not a copy: sessions made later find the catalog in it.
    plugin.conf.setIfMissing(s"spark.sql.catalog.${SparkGap.CatalogName}", classOf[SparkGapCatalog].getName)
    val extensions = plugin.conf.get("spark.sql.extensions", "").split(",").map(_.trim).filter(_.nonEmpty) :+ classOf[
      SparkGapExtensions].getName
    plugin.conf.set("spark.sql.extensions", extensions.distinct.mkString(","))
    if (Conf.of(plugin.conf).cache)
      plugin.conf.setIfMissing("spark.sql.cache.serializer", classOf[StoreCacheSerializer].getName)
    // Where an executor has just been lost, the tasks of a job wait for the next one's cores: Spark looks again after
    // 15 s by default, and gives up after 40 times.
    plugin.conf.setIfMissing("spark.scheduler.barrier.maxConcurrentTasksCheck.interval", "1s")
    plugin.conf.setIfMissing("spark.scheduler.barrier.maxConcurrentTasksCheck.maxFailures", "600")
    ClusterExecutors().listen(context)
    Collections.emptyMap()
  }

  /** Called once the application has its id, before any job. */
  override def registerMetrics(application: String, plugin: PluginContext): Unit =
    Homes().start(Conf.of(plugin.conf), application, "driver")

  /** An executor asks which tables were dropped or where a segment is, or a task of a job has a word. */
  override def receive(message: Object): Object = DriverLink.receive(message) {
    case word: AgentMessage => AgentAnswers().receive(word)
    case question: SegmentFolders.Question => SegmentFolders().answer(question)
    case question: OpenWrites.Question => OpenWrites().answer(question)
    case word: ExecutorNodes.Word => ExecutorNodes().heard(word); null
    case question: SegmentAddresses.Question => SegmentAddresses().answer(question)
    case other => throw new IllegalArgumentException(
        s"message to the driver: expected one of sparkgap's, found ${other.getClass.getName}. Do install one version.")
  }

  override def shutdown(): Unit = {
    Jobs.cancelAll()
    ProcessState.driver.close()
  }
}
