// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.segments

import java.util.{Collections, List => JList}

import org.apache.spark.SparkEnv
import org.apache.spark.network.TransportContext
import org.apache.spark.network.client.TransportClientBootstrap
import org.apache.spark.network.crypto.{AuthClientBootstrap, AuthServerBootstrap}
import org.apache.spark.network.netty.SparkTransportConf
import org.apache.spark.network.server.{RpcHandler, TransportServerBootstrap}
import org.apache.spark.network.util.TransportConf

/**
 * Spark's own network library, which carries segments from host to host: authenticated and encrypted if the
 * application's traffic is.
 *
 * The library is not a public interface of Spark; only this file, SegmentServer and SegmentClient use it.
 */
private[spark] object SegmentTransport {

  /** A connection that is idle for this time ends. */
  val IdleMillis = 30000

  private val Module = "sparkgap"
  private val Threads = 2

  def settings(env: SparkEnv): TransportConf = {
    val conf = env.conf.clone.setIfMissing(s"spark.$Module.io.connectionTimeout", s"${IdleMillis}ms")
    SparkTransportConf.fromSparkConf(conf, Module, Threads, None, Some(env.securityManager.getRpcSSLOptions()))
  }

  def context(settings: TransportConf, handler: RpcHandler): TransportContext =
    new TransportContext(settings, handler, true)

  /** None if spark.authenticate is off. */
  def serverBootstraps(env: SparkEnv, settings: TransportConf): JList[TransportServerBootstrap] =
    if (env.securityManager.isAuthenticationEnabled())
      Collections.singletonList(new AuthServerBootstrap(settings, env.securityManager))
    else Collections.emptyList()

  def clientBootstraps(env: SparkEnv, settings: TransportConf): JList[TransportClientBootstrap] =
    if (env.securityManager.isAuthenticationEnabled())
      Collections.singletonList(new AuthClientBootstrap(settings, env.conf.getAppId, env.securityManager))
    else Collections.emptyList()
}
