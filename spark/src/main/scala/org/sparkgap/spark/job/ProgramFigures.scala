// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.job

import scala.collection.immutable.ListMap

/** What a call of a user's program has cost so far; `phases` are seconds by name. */
private[spark] final class ProgramFigures {
  var phases = ListMap.empty[String, Double]
  var bytesCopied = 0L
  var rowsIn = 0L

  def add(phase: String, seconds: Double): Unit = phases = phases.updated(phase, phases.getOrElse(phase, 0.0) + seconds)

  def timed[T](phase: String)(body: => T): T = {
    val begin = System.nanoTime()
    try body
    finally add(phase, (System.nanoTime() - begin) / 1e9)
  }
}
