// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.application

import org.sparkgap.store.SparkGapException

/** Makes our errors, and finds them inside the exceptions that Spark wraps around them on the way out of a task. */
private[spark] object SparkGapError {
  private val Mark = """(?s)\[SPARKGAP \{"code":(\d+)[^}]*\}\] ([^\n]*)""".r

  /** Always fails, with code 2: the user can change it. */
  def refuse(where: String, expected: String, found: String, action: String): Nothing =
    throw new SparkGapException(SparkGapException.ARGUMENTS, where, expected, found, action)

  /** Runs the body. If it fails because of an error of ours in a task, throws that error without its wrapping. */
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
