// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.segments

import java.nio.file.Paths
import java.security.SecureRandom
import java.util.concurrent.ConcurrentHashMap

import org.sparkgap.spark.application.{ClusterExecutors, DriverPart, LocalHost}

/** In the driver: which process serves which home's segments, and the token that opens them. */
private[spark] final class SegmentAddresses {
  import SegmentAddresses._

  private case class Server(port: Int, homes: Seq[String])

  private val servers = new ConcurrentHashMap[String, Server]
  private val token: Array[Byte] = newToken()

  /**
   * Notes an executor's homes. Returns the token if the executor must serve them, else null: on one host, each process
   * reads all files itself.
   */
  def heard(executor: String, homes: Seq[String], port: Int): Array[Byte] = {
    if (port > 0) servers.put(executor, Server(port, homes))
    if (ClusterExecutors().all.map(_.host).distinct.length > 1) token else null
  }

  def answer(question: Question): Answer = {
    def within(home: String): Boolean = question.path.startsWith(home + "/")
    val there = ClusterExecutors().on(question.host)
    there.flatMap(executor => Option(servers.get(executor.id))).find(_.homes.exists(within)) match {
      case Some(server) => Served(question.host, server.port, token)
      case None if there.exists(executor => ofExecutor(question.path, executor.id)) => NotYet
      case None
          if LocalHost().is(question.host) && (Homes().all.map(_.path) ++ Homes().published).exists(own =>
            within(own.toString)) =>
        OwnServer().start(token)
        if (OwnServer().port > 0) Served(LocalHost.name, OwnServer().port, token) else Ended
      case None => Ended
    }
  }
}

private[spark] object SegmentAddresses extends DriverPart(new SegmentAddresses) {

  /** Tells a reader where a segment of another host is served. */
  final case class Question(host: String, path: String) extends Serializable

  sealed trait Answer extends Serializable

  final case class Served(host: String, port: Int, token: Array[Byte]) extends Answer

  /** Its executor lives but has not reported its port. Ask again in a moment. */
  case object NotYet extends Answer

  /** Its executor has ended, and the segment with it. */
  case object Ended extends Answer

  /** Whether it lies in the home of an executor that lives. */
  def isHeld(path: String): Boolean = ClusterExecutors().all.exists(executor => ofExecutor(path, executor.id))

  /** By the name of the home, `<application>.<executor>`, in HOME/segments/TABLE/FILE. */
  private def ofExecutor(path: String, executor: String): Boolean = {
    val names = Paths.get(path)
    names.getNameCount >= 4 && names.getName(names.getNameCount - 4).toString.split('.').lift(1).contains(executor)
  }

  private def newToken(): Array[Byte] = {
    val bits = new Array[Byte](SegmentServer.TokenBytes)
    new SecureRandom().nextBytes(bits)
    bits
  }
}
