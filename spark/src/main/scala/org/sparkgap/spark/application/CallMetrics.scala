// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.application

import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.DoubleAdder

import com.codahale.metrics.{Counter, Gauge, Metric, MetricRegistry, Timer}

/**
 * What the sinks of Spark's metrics (Prometheus, JMX, ...) show of an application's calls, of kernels and of programs:
 * the counters `calls.running`, `calls.failed` and `calls.copied.bytes`, the timer `calls`, which counts those that
 * ended, and the gauges `calls.<phase>.seconds`, sums of what `last_call().phases` has.
 */
private[spark] final class CallMetrics {
  private val running, failed, copied = new Counter
  private val ended = new Timer
  private val phases = CallMetrics.Phases.map(_ -> new DoubleAdder).toMap

  def register(registry: MetricRegistry): Unit = {
    val sums = phases.map { case (phase, seconds) =>
      s"calls.$phase.seconds" -> new Gauge[Double] { override def getValue: Double = seconds.sum }
    }
    val all: Map[String, Metric] = sums ++ Map("calls" -> ended, "calls.running" -> running, "calls.failed" -> failed,
      "calls.copied.bytes" -> copied)
    all.foreach { case (name, metric) => registry.register(name, metric) }
  }

  /** Counts the body as a call. */
  def during[T](body: => T): T = {
    val begin = System.nanoTime()
    running.inc()
    try body
    catch { case e: Throwable => failed.inc(); throw e }
    finally {
      running.dec()
      ended.update(System.nanoTime() - begin, TimeUnit.NANOSECONDS)
    }
  }

  /** What a call has reported, by the names of phases that its users see, such as `export_s`. */
  def add(phases: Iterable[(String, Double)], bytesCopied: Long): Unit = {
    phases.foreach { case (name, seconds) => this.phases.get(name.stripSuffix("_s")).foreach(_.add(seconds)) }
    copied.inc(bytesCopied)
  }
}

private[spark] object CallMetrics extends DriverPart(new CallMetrics) {
  // Known before there is a call: sinks are told of names once.
  private val Phases =
    Seq("read", "export", "fetch", "render", "memory", "launch", "build", "compute", "write", "parse",
      "readback")
}
