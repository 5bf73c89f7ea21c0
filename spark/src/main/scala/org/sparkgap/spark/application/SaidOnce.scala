// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.application

import java.util.concurrent.ConcurrentHashMap

/** What was said to the log already, and need not be said again in this application. */
private[spark] final class SaidOnce {
  private val said = ConcurrentHashMap.newKeySet[String]

  /** Whether it is said now for the first time. */
  def first(text: String): Boolean = said.add(text)
}

private[spark] object SaidOnce extends DriverPart(new SaidOnce)
