// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.application

import java.net.{InetAddress, NetworkInterface}
import java.util.concurrent.ConcurrentHashMap

import scala.util.Try

import org.apache.spark.SparkEnv
import org.sparkgap.store.SparkGapException

/** This process's host, by the name or address that Spark uses for it. */
private[spark] final class LocalHost {
  private val known = new ConcurrentHashMap[String, java.lang.Boolean]

  /** Whether a host is this one; so is the one of a published table that says none. */
  def is(host: String): Boolean = host == null || host == LocalHost.name || known.computeIfAbsent(host, isOurs(_))

  /** In the driver: whether all executors, if any, are on its host. Then the driver starts ranks itself. */
  def hasAllExecutors: Boolean = ClusterExecutors().all.forall(executor => is(executor.host))

  private def isOurs(host: String): Boolean = Try {
    val address = InetAddress.getByName(host.stripPrefix("[").stripSuffix("]"))
    address.isLoopbackAddress || NetworkInterface.getByInetAddress(address) != null
  }.getOrElse(false)
}

private[spark] object LocalHost extends ProcessPart(new LocalHost) {

  /** The name under which Spark knows it. */
  def name: String = SparkEnv.get.blockManager.blockManagerId.host

  def lost(where: String, expected: String, found: String, action: String): SparkGapException =
    new SparkGapException(SparkGapException.LOST, where, expected, found, action)
}
