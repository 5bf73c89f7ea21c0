// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.application

import org.sparkgap.store.SparkGapException

/** Errors of ours: made, and found again where Spark has wrapped them up on their way out of a task. */
private[spark] object SparkGapError {
  private val Mark = """(?s)\[SPARKGAP \{"code":(\d+)[^}]*\}\] ([^\n]*)""".r

  /** Errors: code 2, always: the user's to change. */
  def refuse(where: String, expected: String, found: String, action: String): Nothing =
    throw new SparkGapException(SparkGapException.ARGUMENTS, where, expected, found, action)

  /** Runs the body; where it fails of an error of ours that happened in a task, throws that one alone. */
  def translate[T](body: => T): T =
    try body
    catch {
      case ours: SparkGapException => throw ours
      case wrapped: Throwable => throw find(wrapped).getOrElse(wrapped)
    }

  def find(error: Throwable): Option[SparkGapException] = {
    val chain = Iterator.iterate(error)(_.getCause).takeWhile(_ != null).take(20).toSeq
    chain.collectFirst { case ours: SparkGapException => ours }.orElse {
      // Another process's error comes as text only.
      chain.flatMap(e => Option(e.getMessage)).flatMap(Mark.findFirstMatchIn(_)).headOption.map(m =>
        new SparkGapException(m.group(1).toInt, m.group(2).trim, error))
    }
  }
}
