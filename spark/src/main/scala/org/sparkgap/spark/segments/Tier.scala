// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.segments

import java.nio.file.{Path, Paths}

import scala.util.control.NonFatal

import org.slf4j.LoggerFactory
import org.sparkgap.spark.application.SparkGapError
import org.sparkgap.store.SparkGapException

/** Where segments lie: in memory, or on disk if memory has no room. */
private[spark] sealed abstract class Tier(val name: String) extends Serializable

private[spark] object Tier {
  case object Memory extends Tier("memory")
  case object Disk extends Tier("disk")

  private val log = LoggerFactory.getLogger("sparkgap")

  /** Whether a home's file lies in that tier. */
  def of(path: String): Tier = of(Paths.get(path))

  def of(path: Path): Tier = if (path.startsWith(Homes().current(Memory).store)) Memory else Disk

  /**
   * Runs the body in memory, or on disk if memory cannot hold the expected bytes or turns out to be full. A body that
   * fails must leave nothing behind. Errors: code 4 if neither has room.
   */
  def withRoom[T](what: String, expectedBytes: Long, mayBeDisk: Boolean)(body: Tier => T): T = {
    def onDisk(why: String): T = {
      log.info(s"$what: $why, it goes to ${Homes().current(Disk).path}")
      body(Disk)
    }
    def free = Homes().current(Memory).usableBytes
    while (free < expectedBytes && Homes().makeRoom()) {}
    def inMemory(): T =
      try body(Memory)
      catch {
        case NonFatal(e) if isFull(e) && Homes().makeRoom() => inMemory()
        case NonFatal(e) if isFull(e) && mayBeDisk => onDisk("no room in memory")
      }
    if (mayBeDisk && free < expectedBytes) onDisk(s"about $expectedBytes bytes, $free free in memory") else inMemory()
  }

  /** Whether the tier was full: a program without room for its own work would have none the second time. */
  private def isFull(e: Throwable): Boolean =
    SparkGapError.find(e).exists(ours =>
      ours.code == SparkGapException.NO_ROOM && ours.text.contains(Homes().current(Memory).store.toString))
}
