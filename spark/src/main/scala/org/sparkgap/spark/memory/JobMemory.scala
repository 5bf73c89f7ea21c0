// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.memory

import java.util.concurrent.{ExecutionException, FutureTask, TimeUnit, TimeoutException}

import scala.annotation.tailrec

import org.slf4j.LoggerFactory
import org.sparkgap.spark.application.Conf
import org.sparkgap.spark.segments.LocalSegments
import org.sparkgap.store.SparkGapException
import org.sparkgap.topology.ProcessLimits

/**
 * The memory of a job's ranks on this host, requested before they start and released when this is closed.
 *
 * If Spark has a pool of off-heap memory in this process, the memory comes from it, and Spark's caches make room. If
 * there is no pool, or it gives only a part, the host must have all of it free; cached tables of the store then move to
 * disk. A container of YARN must have room for it in any case. Not thread-safe.
 *
 * @param what
 *   whose memory it is, for messages
 * @param bytes
 *   at most what the ranks will take; 0 asks for nothing
 * @param mappedBytes
 *   of the inputs that the ranks map, which a container counts
 */
private[spark] final class JobMemory(what: String, host: String, bytes: Long, mappedBytes: Long = 0,
    container: => Option[YarnContainer] = YarnContainer().container) extends AutoCloseable {
  import JobMemory._

  private val pool = if (bytes > 0 && SparkPool.isOn) Some(new SparkPool) else None
  private var granted = 0L
  private var begin = 0L
  private var end = 0L
  private var closed = false

  /** Where it came from. */
  def from: Source = if (bytes == 0) Source.Nobody
  else if (granted >= bytes) Source.Spark
  else if (granted > 0) Source.Both
  else Source.Host

  def seconds: Double = ((if (end == 0) System.nanoTime() else end) - begin) / 1e9

  /**
   * False if `goOn` returned false before all was granted. Errors: code 4 if there is not enough, InterruptedException.
   *
   * @param goOn
   *   called again and again, so that it can report that this host lives
   */
  def take(goOn: () => Boolean = () => true): Boolean = {
    begin = System.nanoTime()
    try {
      val there = pool.forall(ask(_, goOn))
      if (there && granted < bytes) onHost()
      if (there && bytes > 0) container.foreach(inside)
      there
    } finally {
      end = System.nanoTime()
    }
  }

  override def close(): Unit = synchronized {
    closed = true
    if (granted > 0) pool.foreach(_.release())
    granted = 0
  }

  /** Runs on a thread of its own, because a wait in Spark's pool has no timeout. */
  private def ask(asked: SparkPool, goOn: () => Boolean): Boolean = {
    val work = new FutureTask[Unit](
      () => {
        val got =
          try if (synchronized(closed)) 0 else asked.acquire(bytes)
          catch { case e: Throwable => asked.release(); throw e }
        synchronized {
          if (closed) asked.release() else granted = got
        }
      },
      ()
    )
    val thread = new Thread(work, "sparkgap-memory")
    thread.setDaemon(true)
    thread.start()
    val deadline = System.nanoTime() + WaitNanos
    var over = false
    try {
      while (!over) {
        if (!goOn()) return false
        try {
          work.get(LookMillis, TimeUnit.MILLISECONDS)
          over = true
        } catch {
          // Spark waits without a limit until others release memory. Its other work, such as writing blocks to disk,
          // comes to an end and is left alone.
          case _: TimeoutException =>
            if (System.nanoTime() > deadline && thread.getState == Thread.State.WAITING) thread.interrupt()
          case e: ExecutionException if e.getCause.isInstanceOf[InterruptedException] => over = true
          case e: ExecutionException => throw e.getCause
        }
      }
      true
    } finally {
      if (!over) {
        close()
        giveUp(thread)
      }
    }
  }

  /** Ends the wait in Spark's pool, also one that has not begun yet: Spark would count it among those that share. */
  private def giveUp(asking: Thread): Unit = {
    val end = new Thread(
      () =>
        while (asking.isAlive) {
          if (asking.getState == Thread.State.WAITING) asking.interrupt()
          asking.join(LookMillis)
        },
      "sparkgap-memory-end")
    end.setDaemon(true)
    end.start()
    end.join(EndMillis)
  }

  private def onHost(): Unit = {
    val free = afterEviction(bytes, ProcessLimits.read().availableMemoryBytes)
    val ofSpark = if (pool.isEmpty) "" else s", of Spark's off-heap pool $granted"
    if (free < bytes) {
      throw tooMuch(
        s"$bytes bytes for its ranks on $host",
        s"$free free$ofSpark",
        "unpersist tables, use more hosts or a larger one"
      )
    }
    if (pool.nonEmpty) log.warn(
      s"memory of $what: Spark's off-heap pool on $host gave $granted of $bytes bytes; the host has $free free, so " +
        "its ranks start.")
  }

  private def inside(limit: YarnContainer): Unit = {
    val all = bytes + mappedBytes
    val free = afterEviction(all, limit.freeBytes)
    if (free < all) {
      throw tooMuch(
        s"$bytes bytes for its ranks and $mappedBytes for the rows that they map, in a container of YARN on $host",
        s"$free free of ${limit.limitBytes}",
        "raise spark.executor.memoryOverhead (of a driver spark.driver.memoryOverhead), use more executors"
      )
    }
  }

  /** What is free, once cached tables have moved to disk as far as that is needed. */
  @tailrec private def afterEviction(wanted: Long, free: => Long): Long = {
    val now = free
    if (now < wanted && LocalSegments().evict()) afterEviction(wanted, free) else now
  }

  private def tooMuch(expected: String, found: String, advice: String): SparkGapException = new SparkGapException(
    SparkGapException.NO_ROOM,
    s"memory of $what",
    expected,
    found,
    s"Do $advice, or set ${Conf.JobMemoryBytes.key} where you know that it takes less"
  )
}

private[spark] object JobMemory {

  /** Where a job's memory came from. */
  sealed abstract class Source(val word: String) extends Serializable

  object Source {
    case object Nobody extends Source(null)
    case object Spark extends Source("spark")
    case object Host extends Source("host")
    case object Both extends Source("spark and host")

    /** The common source of all hosts of a job. */
    def all(each: Iterable[Source]): Source = each.toSet.toSeq match {
      case Seq() => Nobody
      case Seq(one) => one
      case _ => Both
    }
  }

  private val log = LoggerFactory.getLogger("sparkgap")

  /** The time for others to release memory, if Spark cannot give a fair share. */
  private val WaitNanos = 2000000000L
  private val LookMillis = 20L

  /**
   * The time that a caller waits for a request that it gave up to leave Spark's pool; after that nobody waits for it.
   */
  private val EndMillis = 1000L
}
