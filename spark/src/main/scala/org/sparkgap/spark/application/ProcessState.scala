// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.application

import scala.collection.mutable
import scala.util.control.NonFatal

import org.slf4j.LoggerFactory

/**
 * State that an application keeps in this JVM between calls. Each part is made at its first use. Closing the state
 * closes its parts, the last made first; a later use makes a new part.
 */
private[spark] final class ProcessState extends AutoCloseable {
  private val parts = mutable.LinkedHashMap.empty[AnyRef, AnyRef]

  def part[T <: AnyRef](key: AnyRef, made: () => T): T =
    synchronized(parts.getOrElseUpdate(key, made()).asInstanceOf[T])

  override def close(): Unit = {
    val ended = synchronized {
      val all = parts.values.toSeq.reverse
      parts.clear()
      all
    }
    ended.foreach {
      case part: AutoCloseable =>
        try part.close()
        catch { case NonFatal(e) => ProcessState.log.warn(s"stop: $e") }
      case _ =>
    }
  }
}

/**
 * The two owners of all state in `spark/`: what the driver keeps and what an executor keeps. The plug-in closes each
 * before it starts and when it stops. Nothing else is mutable in an object; `dev/check_layout.py` looks.
 */
private[spark] object ProcessState {
  private val log = LoggerFactory.getLogger("sparkgap")

  val driver = new ProcessState
  val executor = new ProcessState

  @volatile private var isExecutor = false

  /**
   * Marks this process as only an executor's. In local mode it is the driver's too, and then parts that a process has
   * once belong to the driver.
   */
  def executorAlone(): Unit = isExecutor = true

  /** Whether this process is an executor's and not the driver's. */
  def isExecutorAlone: Boolean = isExecutor

  /** The state of this process. */
  def here: ProcessState = if (isExecutor) executor else driver
}

/** A part of the driver's state: `SegmentFolders()` gives the only instance. */
private[spark] abstract class DriverPart[T <: AnyRef](made: => T) {
  def apply(): T = ProcessState.driver.part(this, () => made)
}

/** The same for an executor. */
private[spark] abstract class ExecutorPart[T <: AnyRef](made: => T) {
  def apply(): T = ProcessState.executor.part(this, () => made)
}

/** The same for a process: the driver's, an executor's or both. */
private[spark] abstract class ProcessPart[T <: AnyRef](made: => T) {
  def apply(): T = ProcessState.here.part(this, () => made)
}
