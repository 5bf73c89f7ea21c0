// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark

import java.net.{InetAddress, NetworkInterface}

import scala.util.Try

import org.apache.spark.{SparkContext, SparkEnv}
import org.sparkgap.store.SparkGapException

/** This host among those that Spark knows. */
private[spark] object LocalHost {
  /** The name under which Spark knows the driver's host. */
  def name: String = SparkEnv.get.blockManager.blockManagerId.host

  /** Errors: code 5 where an executor runs on another host: ranks are started on the driver's host only. */
  def requireAllHere(context: SparkContext): Unit = {
    val others = context.getExecutorMemoryStatus.keys.map(_.replaceAll(":\\d+$", "")).filterNot(isHere).toSeq.distinct
    if (others.nonEmpty) {
      throw new SparkGapException(SparkGapException.LOST, "launch", s"all executors on the driver's host ($name)", s"executors on ${others.mkString(", ")}",
        "Do run the driver and its executors on one host, or use engine => 'spark'")
    }
  }

  private def isHere(host: String): Boolean =
    host == name || Try {
      val address = InetAddress.getByName(host.stripPrefix("[").stripSuffix("]"))
      address.isLoopbackAddress || NetworkInterface.getByInetAddress(address) != null
    }.getOrElse(false)
}
