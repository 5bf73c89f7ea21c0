// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.application

import java.net.{InetAddress, NetworkInterface}

import scala.util.Try

import org.apache.spark.SparkEnv
import org.sparkgap.store.SparkGapException

/** This host among those that Spark knows. */
private[spark] object LocalHost {
  /** The name under which Spark knows the driver's host. */
  def name: String = SparkEnv.get.blockManager.blockManagerId.host

  /** Whether ranks can be started by the driver: all executors, if there are any, are on its host. */
  def allHere: Boolean = ClusterExecutors().all.forall(executor => isHere(executor.host))

  /** Errors: code 5 where an executor runs on another host. */
  def requireAllHere(what: String): Unit =
    if (!allHere) {
      val others = ClusterExecutors().all.map(_.host).filterNot(isHere).distinct
      throw lost(what, s"all executors on the driver's host ($name)", s"executors on ${others.mkString(", ")}", "Do run the driver and its executors on one host")
    }

  def lost(where: String, expected: String, found: String, action: String): SparkGapException =
    new SparkGapException(SparkGapException.LOST, where, expected, found, action)

  def isHere(host: String): Boolean =
    host == name || Try {
      val address = InetAddress.getByName(host.stripPrefix("[").stripSuffix("]"))
      address.isLoopbackAddress || NetworkInterface.getByInetAddress(address) != null
    }.getOrElse(false)
}
