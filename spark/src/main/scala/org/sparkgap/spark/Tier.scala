// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark

import java.nio.file.{Path, Paths}

import scala.util.control.NonFatal

import org.slf4j.LoggerFactory
import org.sparkgap.store.{SparkGapException, StoreHome}

/** Where segments lie: in memory, or on disk where that has no room. */
private[spark] sealed abstract class Tier(val name: String) extends Serializable

private[spark] object Tier {
  case object Memory extends Tier("memory")
  case object Disk extends Tier("disk")

  private val log = LoggerFactory.getLogger("org.sparkgap")

  /** Whether a file of a home lies in that tier. */
  def of(path: String): Tier = of(Paths.get(path))

  def of(path: Path): Tier = if (path.startsWith(Homes.current(Memory).store)) Memory else Disk

  /**
   * What the body makes in memory, or on disk where memory cannot hold the expected bytes or turns out to be full. The body
   * leaves nothing behind when it fails. Errors: code 4 where neither has room.
   */
  def withRoom[T](what: String, expectedBytes: Long, mayBeDisk: Boolean)(body: Tier => T): T = {
    def onDisk(why: String): T = {
      log.info(s"$what: $why, it goes to ${Homes.current(Disk).path}")
      body(Disk)
    }
    val free = Homes.current(Memory).usableBytes
    if (!mayBeDisk) body(Memory)
    else if (free < expectedBytes) onDisk(s"about $expectedBytes bytes, $free free in memory")
    else {
      try body(Memory)
      catch { case NonFatal(e) if SparkGapError.find(e).exists(isFull(_, Homes.current(Memory))) => onDisk("no room in memory") }
    }
  }

  /** Whether it was the tier: a program that had no room for its own work would have none the second time. */
  private def isFull(e: SparkGapException, home: StoreHome): Boolean = e.code == SparkGapException.NO_ROOM && e.text.contains(home.store.toString)
}
