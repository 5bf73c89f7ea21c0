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
 * Places for the tasks that run at once, and the threads that have them: one for each task, taken at its start and
 * given back at its end.
 *
 * @param home
 *   the mask that the process was started with, which a thread has again afterwards
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

  /** Those that found no place free, or the system unwilling. */
  def unpinned: Long = others.sum

  /** Tasks have run on it. */
  def isTaskThread(tid: Int): Boolean = tids.contains(tid)

  /** Those that tasks have run on, by the system's number. */
  def threads: Set[Int] = tids.asScala.map(_.toInt).toSet

  /** The dead, whose numbers the system gives to others. */
  def forget(dead: Set[Int]): Unit = dead.foreach(tids.remove(_))

  def begin(): Unit = {
    lift()
    val place = if (refused) null else free.poll()
    if (place == null) {
      others.increment()
    } else {
      // Before it is pinned: a thread that is not known to run tasks is freed.
      if (registered.get == null) registered.set(Files.readSymbolicLink(ThisThread).getFileName.toString.toInt)
      tids.add(registered.get)
      try {
        binding.bindThread(place)
        memory.foreach(_.bind(place))
        Held.set(() => end(place))
        pins.increment()
      } catch {
        case e: HwlocException =>
          // A system that does not let us will not later: containers can forbid it, and their processors can be changed
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
  private val log = LoggerFactory.getLogger("org.sparkgap")
  private val ThisThread = Path.of("/proc/thread-self")

  /** How the calling thread gives its place back. */
  private val Held = new ThreadLocal[() => Unit]

  /** The calling thread is unpinned again, if it was pinned. */
  def lift(): Unit = {
    val end = Held.get
    if (end != null) {
      Held.remove()
      end()
    }
  }
}
