// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.application

import org.apache.spark.SparkContext
import org.apache.spark.scheduler.SparkListenerEvent

/**
 * A call of a kernel or a program that has ended, for Spark's event log: `sparkgap report` shows it from there. Spark's
 * history server passes it over.
 *
 * @param began
 *   in milliseconds since 1970 by the driver's clock, as `ended`
 * @param phases
 *   seconds by name, as in `last_call()`; empty if it failed
 */
private[spark] final case class CallEnded(kernel: String, engine: String = "native", began: Long = 0, ended: Long = 0,
    failed: Boolean = false, ranks: Int = 0, threads: Int = 0, rowsIn: Long = 0, rowsOut: Long = 0,
    bytesCopied: Long = 0, peakRssBytes: Long = 0, phases: Map[String, Double] = Map.empty)
    extends SparkListenerEvent

private[spark] object CallEnded {

  /** Posts the event of the body, which is a call; `said` has its figures. */
  def during[T](context: SparkContext, kernel: String)(body: => T)(said: T => CallEnded): T = {
    val began = System.currentTimeMillis
    var event = CallEnded(kernel, failed = true)
    try {
      val done = body
      event = said(done)
      done
    } finally ListenerBus.post(context, event.copy(began = began, ended = System.currentTimeMillis))
  }
}
