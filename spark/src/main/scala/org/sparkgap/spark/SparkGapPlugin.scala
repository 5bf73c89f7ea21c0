// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark

import java.util.{Collections, Map => JMap}

import org.apache.spark.{SPARK_VERSION, SparkContext, TaskFailedReason}
import org.apache.spark.api.plugin.{DriverPlugin, ExecutorPlugin, PluginContext, SparkPlugin}
import org.apache.spark.sql.SparkSession
import org.sparkgap.launch.{Jobs, MpichLeftovers}
import org.sparkgap.store.SparkGapException

/**
 * What `spark.plugins=org.sparkgap.spark.SparkGapPlugin` turns on: the catalog `sparkgap`, the homes of driver and executors, and, where it is
 * asked for, task threads on processors of their own.
 *
 * Errors: code 2 where Spark is not of version 4.
 */
class SparkGapPlugin extends SparkPlugin {
  override def driverPlugin(): DriverPlugin = new SparkGapDriver

  override def executorPlugin(): ExecutorPlugin = new SparkGapExecutor
}

object SparkGapPlugin {
  val CatalogName = "sparkgap"

  /** Not a setting: what clients compare with their own. */
  val VersionKey = "spark.sparkgap.version"

  /** That of the jar; classes that lie in a folder have none. */
  def version: String = Option(classOf[SparkGapPlugin].getPackage.getImplementationVersion).getOrElse("unknown")

  /** Errors: code 2 for a session that was started without this plug-in. */
  def require(session: SparkSession): Unit =
    if (session.conf.getOption(VersionKey).isEmpty) {
      throw new SparkGapException(SparkGapException.ARGUMENTS, "session", s"a Spark session with spark.plugins=${classOf[SparkGapPlugin].getName}", "one that was started without it",
        s"Do start it with --conf spark.plugins=${classOf[SparkGapPlugin].getName} and sparkgap.jar on --driver-class-path and --jars")
    }

  /** Errors: code 2 where Spark is not of version 4. */
  def checkVersion(found: String): Unit =
    if (!found.startsWith("4.")) {
      throw new SparkGapException(SparkGapException.ARGUMENTS, "spark", "Spark 4.x", s"Spark $found", "Do pip install pyspark==4.3.0")
    }
}

private[spark] class SparkGapDriver extends DriverPlugin {
  override def init(context: SparkContext, plugin: PluginContext): JMap[String, String] = {
    SparkGapPlugin.checkVersion(SPARK_VERSION)
    // A word that is none is said before any executor starts.
    Conf.of(plugin.conf).affinity
    Conf.of(plugin.conf).rankAffinity
    Conf.of(plugin.conf).allowedPrograms
    Conf.of(plugin.conf).programs
    SharedServer.look()
    plugin.conf.set(SparkGapPlugin.VersionKey, SparkGapPlugin.version)
    // The context's own configuration, not a copy: sessions made later find the catalog in it.
    plugin.conf.setIfMissing(s"spark.sql.catalog.${SparkGapPlugin.CatalogName}", classOf[SparkGapCatalog].getName)
    val extensions = plugin.conf.get("spark.sql.extensions", "").split(",").map(_.trim).filter(_.nonEmpty) :+ classOf[SparkGapExtensions].getName
    plugin.conf.set("spark.sql.extensions", extensions.distinct.mkString(","))
    if (Conf.of(plugin.conf).cache) plugin.conf.setIfMissing("spark.sql.cache.serializer", classOf[StoreCacheSerializer].getName)
    // Where an executor has just been lost, the tasks of a job wait for the next one's cores: Spark looks again after so long, by default 15 s, and gives up after
    // so many looks, by default 40.
    plugin.conf.setIfMissing("spark.scheduler.barrier.maxConcurrentTasksCheck.interval", "1s")
    plugin.conf.setIfMissing("spark.scheduler.barrier.maxConcurrentTasksCheck.maxFailures", "600")
    ClusterExecutors.listen(context)
    ExecutorNodes.clear()
    SegmentFolders.clear()
    OpenWrites.clear()
    SegmentAddresses.clear()
    ResultLineage.clear()
    UnnamedResults.clear()
    ResultName.clear()
    Collections.emptyMap()
  }

  /** Called once the application has its id, before any job. */
  override def registerMetrics(application: String, plugin: PluginContext): Unit = Homes.start(Conf.of(plugin.conf), application, "driver")

  /** An executor asks which tables were dropped or where a segment is, or a task of a job has a word. */
  override def receive(message: Object): Object = DriverLink.receive(message) {
    case word: AgentMessage => JobAgents.receive(word)
    case question: SegmentFolders.Question => SegmentFolders.answer(question)
    case question: OpenWrites.Question => OpenWrites.answer(question)
    case word: ExecutorNodes.Word => ExecutorNodes.heard(word); null
    case question: SegmentAddresses.Question => SegmentAddresses.answer(question)
  }

  override def shutdown(): Unit = {
    Jobs.cancelAll()
    Homes.stop()
  }
}

private[spark] class SparkGapExecutor extends ExecutorPlugin {
  /** In local mode the executor is in the driver's process and shares its home. */
  private var own = false

  override def init(plugin: PluginContext, extra: JMap[String, String]): Unit = {
    own = plugin.executorID != "driver"
    Affinity.start(plugin.conf, plugin.metricRegistry)
    if (own) {
      // Told to stop by the driver, an executor does so on a thread that its JVM does not wait for when the worker ends it meanwhile; nor does Spark know of us before all is started.
      sys.addShutdownHook(Homes.stop()): Unit
      Homes.start(Conf.of(plugin.conf), plugin.conf.get("spark.app.id", "app"), plugin.executorID)
      MpichLeftovers.sweep()
      DriverLink.set(plugin)
      ExecutorNodes.tell(plugin.executorID)
      CacheHousekeeping.askDriver(folders =>
        DriverLink.ask(SegmentFolders.Question(plugin.executorID, Homes.all.map(_.path.toString), SegmentServer.port, folders)).asInstanceOf[SegmentFolders.Answer])
      CacheHousekeeping.start()
    }
  }

  override def onTaskStart(): Unit = Affinity.begin()

  override def onTaskSucceeded(): Unit = Affinity.lift()

  override def onTaskFailed(why: TaskFailedReason): Unit = Affinity.lift()

  override def shutdown(): Unit = {
    Affinity.stop()
    if (own) Homes.stop()
  }
}
