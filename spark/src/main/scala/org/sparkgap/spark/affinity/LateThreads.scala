// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.affinity

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.sparkgap.topology.{HwlocException, Topology}

/**
 * Frees the threads that tasks have started, of pools and native libraries, from the mask that they were born with.
 *
 * Masks are inherited when a thread starts and at no other time, so that each new thread is looked at once, within a
 * moment. One that was bound otherwise than to a task's place was so by somebody who meant it.
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
