// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.application

import java.util.concurrent.ConcurrentHashMap

/** Log messages that this application writes only once. */
private[spark] final class SaidOnce {
  private val said = ConcurrentHashMap.newKeySet[String]

  /** Whether this is the first time. */
  def first(text: String): Boolean = said.add(text)
}

private[spark] object SaidOnce extends DriverPart(new SaidOnce)
