// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.peers.optspark

import scala.collection.mutable

/** Seconds by what they went into. */
private[optspark] final class Parts {
  private val seconds = mutable.LinkedHashMap.empty[String, Double].withDefaultValue(0.0)

  def add(name: String, more: Double): Unit = seconds(name) += more

  def time[T](name: String)(body: => T): T = {
    val begin = System.nanoTime()
    try body
    finally add(name, (System.nanoTime() - begin) / 1e9)
  }

  def all: Map[String, Double] = seconds.toMap
}
