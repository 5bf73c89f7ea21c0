// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.cache

import java.lang.ref.Cleaner
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicBoolean

import org.apache.spark.SparkContext
import org.apache.spark.scheduler.{SparkListener, SparkListenerExecutorRemoved, SparkListenerUnpersistRDD}
import org.sparkgap.spark.application.DriverPart
import org.sparkgap.spark.segments.{Homes, Housekeeping, OpenWrites, SegmentFolders}

/**
 * The tables that this driver's application has cached: their files live as long as Spark has the table cached.
 *
 * Spark reports each RDD that it has unpersisted. The RDD of a table is known from the first query that was planned
 * over it. A table that was dropped before that, or whose report was lost, goes when the garbage collector finds its
 * RDD unused.
 */
private[spark] final class CachedTables {
  import CachedTables._

  private val byPersisted = new ConcurrentHashMap[Int, String]
  private val listens = new AtomicBoolean

  /** The folder of a new table, which is also its name. */
  def newName(): String = SegmentFolders().beginCache()

  def own(table: CacheWriteRDD[_]): Unit = {
    listen(table.sparkContext)
    val name = table.table
    OpenWrites().begin(name)
    cleaner.register(table, () => drop(name))
  }

  /** Says under which id Spark keeps a table. */
  def persisted(table: CacheWriteRDD[_], rdd: Int): Unit = byPersisted.put(rdd, table.table)

  private def drop(table: String): Unit = {
    OpenWrites().end(table)
    byPersisted.values.remove(table)
    SegmentFolders().end(table)
  }

  private def listen(context: SparkContext): Unit = if (listens.compareAndSet(false, true)) context.addSparkListener(
    new SparkListener {
      override def onUnpersistRDD(event: SparkListenerUnpersistRDD): Unit =
        Option(byPersisted.remove(event.rddId)).foreach(drop)
      // What an executor held is lost to Spark; its home is free to go.
      override def onExecutorRemoved(event: SparkListenerExecutorRemoved): Unit = Housekeeping().soon(Homes().sweep())
    })
}

private[spark] object CachedTables extends DriverPart(new CachedTables) {
  private val cleaner = Cleaner.create()
}
