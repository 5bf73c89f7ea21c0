// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.segments

import scala.util.control.NonFatal

import org.apache.spark.SparkEnv
import org.slf4j.LoggerFactory
import org.sparkgap.spark.application.ProcessPart

/** This process's server of segments, if it has one. */
private[spark] final class OwnServer extends AutoCloseable {
  import OwnServer._

  private var running: Option[SegmentServer] = None
  private var failed = false

  /** Starts it if it does not run; true if it was started now. */
  def start(token: Array[Byte]): Boolean = synchronized {
    if (running.nonEmpty || failed) false
    else {
      val env = SparkEnv.get
      val address = env.blockManager.blockManagerId.host
      val bound = if (env.executorId == "driver") env.conf.get("spark.driver.bindAddress", address) else address
      try {
        val homes = Homes()
        val own = () => homes.all.map(_.path)
        // Published tables are of no process; the driver serves them, as it has found them.
        val published = () => if (env.executorId == "driver") homes.published else Seq.empty
        running = Some(new SegmentServer(env, bound.stripPrefix("[").stripSuffix("]"), token, own, published))
        true
      } catch {
        case NonFatal(e) =>
          failed = true
          log.warn(
            s"segments of this process: expected to serve them at $bound to other hosts, found $e. Tasks there " +
              "compute cached tables again, and fail on stored ones.")
          false
      }
    }
  }

  /** 0 if it does not run. */
  def port: Int = synchronized(running.fold(0)(_.port))

  override def close(): Unit = synchronized {
    running.foreach(_.close())
    running = None
  }
}

private[spark] object OwnServer extends ProcessPart(new OwnServer) {
  private val log = LoggerFactory.getLogger("sparkgap")
}
