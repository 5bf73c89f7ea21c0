// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.application

import java.util.concurrent.{Callable, ExecutionException, FutureTask, TimeUnit, TimeoutException}

/**
 * Runs work on a thread of its own, so that the caller can send heartbeats while it waits. The work starts with
 * `await`.
 *
 * @param stop
 *   ends what an interrupt of the thread does not
 */
private[spark] final class WatchedWork[T](name: String, stop: () => Unit = () => ())(work: => T)
    extends AutoCloseable {
  import WatchedWork._

  private val future = new FutureTask[T](new Callable[T] { override def call(): T = work })
  private val thread = new Thread(future, name)
  thread.setDaemon(true)

  /** The result; None once `goOn`, called every 50 ms, returns false. Errors: those of the work. */
  def await(goOn: () => Boolean): Option[T] = {
    thread.start()
    while (goOn()) {
      try return Some(future.get(LookMillis, TimeUnit.MILLISECONDS))
      catch {
        case _: TimeoutException =>
        case e: ExecutionException => throw e.getCause
      }
    }
    None
  }

  /** Interrupts the work if it still runs. */
  override def close(): Unit = {
    stop()
    thread.interrupt()
    if (thread.isAlive) thread.join(EndMillis)
  }
}

private[spark] object WatchedWork {
  private val LookMillis = 50L
  private val EndMillis = 2000L
}
