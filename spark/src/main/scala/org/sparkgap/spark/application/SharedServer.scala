// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.application

import org.apache.spark.{SparkConf, SparkEnv}

/** Whether this driver is a server with several users: docs/servers.md. */
private[spark] final class SharedServer {
  import SharedServer._

  @volatile private var onStack: Option[String] = None

  /** Called on the thread that starts the plug-in. */
  def look(): Unit =
    onStack = Thread.currentThread.getStackTrace.toSeq.map(_.getClassName.stripSuffix("$")).collectFirst(Mains)

  /**
   * The kind of server. None if it is none, or if `spark.sparkgap.launch.programs=allow` says that it has a single
   * user.
   */
  def kind: Option[String] = Option(SparkEnv.get).map(_.conf).flatMap(kind)

  private def kind(conf: SparkConf): Option[String] = {
    // A catalog may exist without the plug-in: then the stack was never examined.
    val words = System.getProperty("sun.java.command", "").split(" ").toSeq
    onStack.orElse(words.collectFirst(Mains)).orElse(
      if (conf.get("spark.plugins", "").split(",").map(_.trim).contains(ConnectPlugin)) Some(Connect) else None)
      .filterNot(_ => Conf.of(conf).programs == "allow")
  }
}

private[spark] object SharedServer extends DriverPart(new SharedServer) {
  private val ConnectPlugin = "org.apache.spark.sql.connect.SparkConnectPlugin"
  private val Connect = "Spark Connect"

  /**
   * The main classes of such servers. Their `main` makes the context, so it is on the stack of the thread that starts
   * the plug-in.
   */
  private val Mains = Map("org.apache.spark.sql.connect.service.SparkConnectServer" -> Connect,
    "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2" -> "Thrift")
}
