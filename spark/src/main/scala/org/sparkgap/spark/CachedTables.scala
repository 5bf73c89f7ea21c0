// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark

import java.lang.ref.Cleaner
import java.util.UUID
import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._

import org.apache.spark.SparkContext
import org.apache.spark.scheduler.{SparkListener, SparkListenerExecutorRemoved, SparkListenerUnpersistRDD}

/**
 * The tables that this driver's applications have cached: their files live as long as Spark has the table cached.
 *
 * Spark says when it has unpersisted an RDD. Which of ours that was is known since the first query upon it was planned; a table that
 * was dropped before, or whose word was lost, goes when the collector finds its RDD unused.
 */
private[spark] object CachedTables {
  private val cleaner = Cleaner.create()
  private val byPersisted = new ConcurrentHashMap[Int, String]
  private val gone = ConcurrentHashMap.newKeySet[String]
  private var listening: SparkContext = _

  /** A name that no other table has, of whichever application. */
  def newName(): String = s"cache-${UUID.randomUUID()}"

  def own(table: CacheWriteRDD[_]): Unit = {
    listen(table.sparkContext)
    val name = table.table
    cleaner.register(table, () => drop(name))
  }

  /** Says under which id Spark keeps a table. */
  def persisted(table: CacheWriteRDD[_], rdd: Int): Unit = byPersisted.put(rdd, table.table)

  /** Names of tables whose files are to go; every executor asks for them. */
  def dropped: Array[String] = gone.asScala.toArray

  private def drop(table: String): Unit = if (gone.add(table)) CacheFiles.remove(table)

  private def listen(context: SparkContext): Unit = synchronized {
    if (listening ne context) {
      listening = context
      byPersisted.clear()
      gone.clear()
      context.addSparkListener(new SparkListener {
        override def onUnpersistRDD(event: SparkListenerUnpersistRDD): Unit = Option(byPersisted.remove(event.rddId)).foreach(drop)
        // What an executor held is lost to Spark; its home is free to go.
        override def onExecutorRemoved(event: SparkListenerExecutorRemoved): Unit = CacheHousekeeping.soon(Homes.sweep())
      })
    }
  }
}
