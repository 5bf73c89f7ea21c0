// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.segments

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import org.apache.spark.{SparkContext, SparkEnv}
import org.apache.spark.scheduler.{SparkListener, SparkListenerApplicationEnd}
import org.slf4j.LoggerFactory
import org.sparkgap.spark.application.{Conf, ProcessPart, ProcessState, SparkGap}
import org.sparkgap.store.{SparkGapException, StoreHome, StoreRoom, TableStore}

/**
 * The homes of this JVM in the store, one in each tier.
 *
 * The home in memory is made when the plug-in starts, or at the first use if that failed: an unusable store must not
 * stop a Spark session from starting; only calls that need it fail.
 */
private[spark] final class Homes extends AutoCloseable {
  import Homes._

  /** What a home is called and where the tiers are. */
  private case class Place(conf: Conf, application: String, executor: String) {
    val directory: Map[Tier, Path] = Map(Tier.Memory -> conf.storeDir, Tier.Disk -> conf.diskDir)
  }

  private var place: Option[Place] = None
  private var homes = Map.empty[Tier, StoreHome]
  private var memoryRoom: Option[StoreRoom] = None
  @volatile private var spare: () => Boolean = () => false

  def start(conf: Conf, application: String, executor: String): Unit = synchronized {
    place = Some(Place(conf, application, executor))
    try {
      current()
      // The disk tier gets a home when one is needed; homes of dead processes are removed now.
      StoreHome.sweep(conf.diskDir)
    } catch { case e: SparkGapException => log.warn(e.text) }
  }

  /** Errors: code 2 without Spark, 4 if the store cannot be used. */
  def current(tier: Tier = Tier.Memory): StoreHome = synchronized {
    homes.getOrElse(tier, {
        val at = place.getOrElse(withoutPlugin())
        val made = StoreHome.create(at.directory(tier), at.application, at.executor)
        homes += tier -> made
        made
      })
  }

  /** The home of a tier, where there is one. */
  def existing(tier: Tier): Option[StoreHome] = synchronized(homes.get(tier))

  /** The existing homes of both tiers. */
  def all: Seq[StoreHome] = synchronized(homes.values.toSeq)

  /** Where published tables lie, of stores that exist. */
  def published: Seq[Path] =
    stores.filter(Files.isDirectory(_)).map(_.toRealPath().resolve("published")).distinct

  /** The folders of the tiers. */
  def stores: Seq[Path] = Seq(Tier.Memory, Tier.Disk).flatMap(tier => synchronized(place).map(_.directory(tier)))

  /** The room in memory for caches. */
  def room: StoreRoom = {
    val home = current()
    synchronized {
      memoryRoom.getOrElse {
        val made = new StoreRoom(home.store, place.get.conf.memoryBytes, new SpareMemory(home))
        memoryRoom = Some(made)
        made
      }
    }
  }

  /** Registers a body that releases room when memory is short; it returns false if it has none. */
  def onShortage(body: () => Boolean): Unit = spare = body

  /** Asks for room; true if some was released. */
  def makeRoom(): Boolean = spare()

  /** Removes the homes of dead processes. */
  def sweep(): Unit = stores.foreach(StoreHome.sweep)

  /**
   * PySpark's remote("local") replaces all other plug-ins by its own; then only the catalog leads here.
   */
  private def withoutPlugin(): Place = {
    val env = Option(SparkEnv.get).getOrElse(throw SparkGap.absent("no running Spark"))
    if (env.executorId == "driver") {
      SparkContext.getOrCreate().addSparkListener(new SparkListener {
        override def onApplicationEnd(end: SparkListenerApplicationEnd): Unit = ProcessState.here.close()
      })
    } else {
      sys.addShutdownHook(ProcessState.here.close())
    }
    val conf = Conf.of(env.conf)
    val found = Place(conf, env.conf.get("spark.app.id", "app"), env.executorId)
    place = Some(found)
    found
  }

  /** The tables of this application; their segments may lie in both tiers. */
  def tables(): TableStore = synchronized {
    val memory = current()
    new TableStore(memory, homes.get(Tier.Disk).map(_.store).toSeq.asJava)
  }

  override def close(): Unit = synchronized {
    val (held, at) = (homes.values.toSeq, place)
    homes = Map.empty
    place = None
    memoryRoom = None
    try {
      held.foreach(_.close())
      // Killed executors of this application have left theirs.
      at.foreach(_.directory.values.foreach(StoreHome.sweep))
    } catch {
      case e: SparkGapException => log.warn(e.text)
    }
  }
}

private[spark] object Homes extends ProcessPart(new Homes) {
  private val log = LoggerFactory.getLogger("sparkgap")
}
