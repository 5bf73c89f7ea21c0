// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.memory

import java.net.{HttpURLConnection, URI}

import scala.jdk.StreamConverters._
import scala.util.Using
import scala.util.control.NonFatal

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import org.slf4j.LoggerFactory
import org.sparkgap.spark.application.ProcessPart
import org.sparkgap.topology.ProcessLimits

/**
 * The container of YARN that this process and its ranks are in. A NodeManager adds up the resident memory of its
 * processes, pages that they share once for each, and kills them all beyond `limitBytes`.
 */
private[spark] final class YarnContainer(val limitBytes: Long) {

  /** What ranks may take: the heap of this JVM can still grow to its end. */
  def freeBytes: Long = {
    val heap = Runtime.getRuntime
    limitBytes - (heap.maxMemory - heap.totalMemory) - residentBytes
  }

  private def residentBytes: Long = {
    val self = ProcessHandle.current
    (self +: self.descendants.toScala(Seq)).map(process => ProcessLimits.residentBytes(process.pid)).sum
  }
}

/** This process's container; None outside YARN, and where its NodeManager enforces no limit itself. */
private[spark] object YarnContainer extends ProcessPart(new YarnContainerHere)

private[spark] final class YarnContainerHere {
  import YarnContainerHere._

  lazy val container: Option[YarnContainer] =
    for {
      id <- sys.env.get("CONTAINER_ID")
      host <- sys.env.get("NM_HOST")
      port <- sys.env.get("NM_HTTP_PORT")
      found <- asked(id, s"http://$host:$port")
    } yield found

  private def asked(id: String, manager: String): Option[YarnContainer] =
    try {
      val enforced = json(s"$manager/conf?format=json&name=yarn.nodemanager.pmem-check-enabled")
      if (enforced.path("property").path("value").asText == "false") None
      else {
        val megabytes = json(s"$manager/ws/v1/node/containers/$id").path("container").path("totalMemoryNeededMB")
        Some(megabytes.asLong).filter(_ > 0).map(size => new YarnContainer(size << 20))
      }
    } catch {
      case NonFatal(e) =>
        log.warn(
          s"memory: the NodeManager does not say what it gives this container ($e). What a job asks for is compared " +
            "with what the host has free, and YARN may kill the container if it takes more than its own.")
        None
    }
}

private object YarnContainerHere {
  private val log = LoggerFactory.getLogger("sparkgap")
  private val Json = new ObjectMapper
  private val WaitMillis = 2000

  private def json(url: String): JsonNode = {
    val connection = URI.create(url).toURL.openConnection().asInstanceOf[HttpURLConnection]
    connection.setConnectTimeout(WaitMillis)
    connection.setReadTimeout(WaitMillis)
    connection.setRequestProperty("Accept", "application/json")
    try Using.resource(connection.getInputStream)(Json.readTree(_))
    finally connection.disconnect()
  }
}
