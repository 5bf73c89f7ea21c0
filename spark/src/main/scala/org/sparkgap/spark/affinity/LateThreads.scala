// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.affinity

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.sparkgap.topology.{HwlocException, Topology}

/**
 * Unpins threads that tasks start, such as those of pools and native libraries.
 *
 * A thread inherits its creator's CPU mask once, at its start. So each new thread is checked once, within 100 ms of its
 * start. If its mask is that of a task, it inherited it, and gets the mask of the whole executor. Any other mask was
 * set on purpose and stays.
 */
private[spark] final class LateThreads(topology: Topology, tasks: TaskThreads) extends AutoCloseable {
  import LateThreads._

  private val places = tasks.places.toSet - tasks.home
  private var seen = living()
  private val thread = new Thread(() => run(), "sparkgap-affinity")
  thread.setDaemon(true)
  thread.start()

  override def close(): Unit = {
    thread.interrupt()
    thread.join(EndMillis)
  }

  private def run(): Unit =
    try while (true) {
        Thread.sleep(LookMillis)
        look()
      }
    catch { case _: InterruptedException => look() }

  private def look(): Unit = {
    val known = tasks.threads
    val now = living()
    tasks.forget(known -- now)
    (now -- seen).foreach { tid =>
      try if (places(topology.cpuBinding.otherThread(tid)) && !tasks.isTaskThread(tid))
          topology.cpuBinding.bindOtherThread(tid, tasks.home)
      catch { case _: HwlocException => /* It has ended. */ }
    }
    seen = now
  }
}

private[spark] object LateThreads {
  private val LookMillis = 100L
  private val EndMillis = 2000L
  private val Threads = Path.of("/proc/self/task")

  private def living(): Set[Int] =
    Using.resource(Files.list(Threads))(_.iterator.asScala.map(_.getFileName.toString.toInt).toSet)
}
