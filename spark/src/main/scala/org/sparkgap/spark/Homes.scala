// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark

import java.nio.file.Path

import org.apache.spark.{SparkContext, SparkEnv}
import org.apache.spark.scheduler.{SparkListener, SparkListenerApplicationEnd}
import org.slf4j.LoggerFactory
import org.sparkgap.store.{SparkGapException, StoreHome, TableStore}

/**
 * The home of this JVM in the store.
 *
 * It is made when the plug-in starts, or at the first use where that failed: a store that cannot be used must not keep a
 * Spark session from starting, only calls that need it fail.
 */
private[spark] object Homes {
  private val log = LoggerFactory.getLogger("org.sparkgap")
  private var place: Option[(Path, String, String)] = None
  private var home: Option[StoreHome] = None

  def start(storeDir: Path, application: String, executor: String): Unit = synchronized {
    stop()
    place = Some((storeDir, application, executor))
    try current()
    catch { case e: SparkGapException => log.warn(e.text) }
  }

  /** Errors: code 2 where there is no Spark around, 4 where the store cannot be used. */
  def current(): StoreHome = synchronized {
    home.getOrElse {
      val (storeDir, application, executor) = place.getOrElse(withoutPlugin())
      val made = StoreHome.create(storeDir, application, executor)
      home = Some(made)
      made
    }
  }

  /** PySpark's remote("local") puts its own plug-in in the place of all others; then the catalog alone brings us here. */
  private def withoutPlugin(): (Path, String, String) = {
    val env = Option(SparkEnv.get).getOrElse(throw new SparkGapException(SparkGapException.ARGUMENTS, "spark.plugins",
      s"${classOf[SparkGapPlugin].getName} among them", "no running Spark", "Do start a session with it"))
    if (env.executorId == "driver") {
      SparkContext.getOrCreate().addSparkListener(new SparkListener {
        override def onApplicationEnd(end: SparkListenerApplicationEnd): Unit = stop()
      })
    } else {
      sys.addShutdownHook(stop())
    }
    val found = (Conf.of(env.conf).storeDir, env.conf.get("spark.app.id", "app"), env.executorId)
    place = Some(found)
    found
  }

  def tables(): TableStore = new TableStore(current())

  def stop(): Unit = synchronized {
    val (held, at) = (home, place)
    home = None
    place = None
    try {
      held.foreach(_.close())
      // Executors of ours that were killed have left theirs.
      at.foreach { case (storeDir, _, _) => StoreHome.sweep(storeDir) }
    } catch {
      case e: SparkGapException => log.warn(e.text)
    }
  }
}
