// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.table

import java.lang.ref.WeakReference
import java.util.LinkedHashMap

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.SparkSession
import org.slf4j.LoggerFactory
import org.sparkgap.spark.application.DriverPart
import org.sparkgap.spark.segments.Homes
import org.sparkgap.store.Manifest

/**
 * Results to which nobody gave a name. One that was read as a DataFrame is dropped when no plan of this driver refers
 * to it any more, and there are many of these or room is needed. Use by name alone, in SQL or through Spark Connect, is
 * not seen: such a result is dropped only after very many later ones.
 *
 * A result with a name, and a graph, stays until it is dropped.
 */
private[spark] final class UnnamedResults {
  import UnnamedResults._

  private final class Result {

    /** The plans that refer to it, by what they hold of it. */
    var plans = List.empty[WeakReference[Manifest]]
    var isRead = false
    var isByName = false

    def isReferred: Boolean = {
      plans = plans.filter(_.get != null)
      plans.nonEmpty
    }

    def isIdle: Boolean = isRead && !isByName && !isReferred
  }

  /** By name, the oldest first. */
  private val results = new LinkedHashMap[String, Result]

  private var collectedAt = System.nanoTime() - CollectNanos

  def add(names: Seq[String]): Unit = {
    Homes().onShortage(() => makeRoom())
    synchronized(names.foreach(results.put(_, new Result)))
    trim()
  }

  /** A plan refers to the table by this very object. */
  def read(table: Manifest): Unit = synchronized {
    Option(results.get(table.name)).foreach { result =>
      result.isRead = true
      result.isByName |= isRemote
      result.plans = new WeakReference(table) :: result.plans.filter(_.get != null)
    }
  }

  def forget(name: String): Unit = synchronized(results.remove(name))

  /** Drops the oldest to which nobody refers; false where there is none. */
  def makeRoom(): Boolean = oldest(_.isIdle).exists { name =>
    log.info(s"${StoreTable.qualified(name)}: nobody refers to it any more, and room is needed")
    StoreTable.drop(name)
  } || collect() && makeRoom()

  def count: Int = synchronized(results.size)

  private def trim(): Unit = {
    val excess = synchronized(results.asScala.count(_._2.isIdle)) - MostIdle
    for (_ <- 0 until excess; name <- oldest(_.isIdle)) StoreTable.drop(name)
    while (count > Most && oldest(!_.isReferred).exists(StoreTable.drop)) {}
  }

  private def oldest(which: Result => Boolean): Option[String] =
    synchronized(results.asScala.collectFirst { case (name, result) if which(result) => name })

  /** Whether the garbage collector was asked for plans that are gone; it is not asked each time. */
  private def collect(): Boolean = {
    val due = synchronized {
      val is = results.asScala.exists { case (_, result) =>
        result.isRead && !result.isByName
      } && System.nanoTime() - collectedAt >= CollectNanos
      if (is) collectedAt = System.nanoTime()
      is
    }
    if (due) System.gc()
    due
  }
}

private[spark] object UnnamedResults extends DriverPart(new UnnamedResults) {

  /** The most unreferenced results that may stay. */
  private val MostIdle = 50

  /** The most results without a known reference that may stay. */
  private val Most = 5000

  private val CollectNanos = 10000000000L
  private val log = LoggerFactory.getLogger("sparkgap")

  /** Spark Connect sets this on the work of its clients. */
  private def isRemote: Boolean =
    SparkSession.getActiveSession.exists(_.sparkContext.getJobTags().exists(_.startsWith("SparkConnect_")))
}
