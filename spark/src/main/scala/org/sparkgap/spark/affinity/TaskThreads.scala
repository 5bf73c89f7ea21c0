// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.affinity

import java.nio.file.{Files, Path}
import java.util.concurrent.{ConcurrentHashMap, ConcurrentLinkedDeque}
import java.util.concurrent.atomic.LongAdder

import scala.jdk.CollectionConverters._

import org.slf4j.LoggerFactory
import org.sparkgap.topology.{AffinityLevel, Bitmap, CpuShare, HwlocException, Topology}

/**
 * One place for each task that runs at once. A task's thread takes a place at its start and returns it at its end.
 *
 * @param home
 *   the mask that the process was started with, and that a thread gets back
 */
private[spark] final class TaskThreads(topology: Topology, share: CpuShare, val home: Bitmap, level: AffinityLevel) {
  import TaskThreads._

  val places: Seq[Bitmap] = share.places.asScala.toSeq
  private val free = new ConcurrentLinkedDeque[Bitmap](places.asJava)
  private val binding = topology.cpuBinding
  private val memory = if (level == AffinityLevel.NUMA) TaskMemory.of(topology, places) else None
  private val tids = ConcurrentHashMap.newKeySet[Integer]()
  private val registered = new ThreadLocal[Integer]
  private val pins, others = new LongAdder
  @volatile private var refused = false

  def pinned: Long = pins.sum

  /** Tasks that stayed unpinned: no place was free, or the system refused. */
  def unpinned: Long = others.sum

  /** A thread on which tasks have run. */
  def isTaskThread(tid: Int): Boolean = tids.contains(tid)

  /** Threads on which tasks have run, by the system's number. */
  def threads: Set[Int] = tids.asScala.map(_.toInt).toSet

  /** Dead threads: the system reuses their numbers. */
  def forget(dead: Set[Int]): Unit = dead.foreach(tids.remove(_))

  def begin(): Unit = {
    lift()
    val place = if (refused) null else free.poll()
    if (place == null) {
      others.increment()
    } else {
      // Before it is pinned: LateThreads unpins threads that are not known to run tasks.
      if (registered.get == null) registered.set(Files.readSymbolicLink(ThisThread).getFileName.toString.toInt)
      tids.add(registered.get)
      try {
        binding.bindThread(place)
        memory.foreach(_.bind(place))
        Held.set(() => end(place))
        pins.increment()
      } catch {
        case e: HwlocException =>
          // A system that refuses once will refuse again: containers can forbid it, and their processors can change
          // under us.
          refused = true
          others.increment()
          end(place)
          log.warn(s"${e.getMessage} Task threads stay unpinned from now on.")
      }
    }
  }

  private def end(place: Bitmap): Unit = {
    try binding.bindThread(home)
    catch { case e: HwlocException => if (!refused) log.warn(e.getMessage) }
    memory.foreach(_.lift())
    free.addFirst(place)
  }
}

private[spark] object TaskThreads {
  private val log = LoggerFactory.getLogger("sparkgap")
  private val ThisThread = Path.of("/proc/thread-self")

  /** How the calling thread returns its place. */
  private val Held = new ThreadLocal[() => Unit]

  /** Unpins the calling thread, if it was pinned. */
  def lift(): Unit = {
    val end = Held.get
    if (end != null) {
      Held.remove()
      end()
    }
  }
}
