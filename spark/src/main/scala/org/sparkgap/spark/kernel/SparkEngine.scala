// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.kernel

import java.util.ServiceLoader

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.sparkgap.spark.application.SparkGapError

/**
 * What Spark made of a kernel's input.
 *
 * @param rowsIn
 *   rows of the first input
 * @param release
 *   frees what the computation has cached; called once the result is written
 */
final case class EngineOutcome(result: DataFrame, rowsIn: Long, iterations: Option[Long], buildSeconds: Double,
    computeSeconds: Double, release: () => Unit)

/** A way to compute on Spark what a kernel computes, for `engine => 'spark'`. */
trait SparkEngine {

  /**
   * Inputs by the Spec's name, with the needed columns only; parameters complete. Errors: code 2 for a parameter that
   * it does not know.
   */
  def run(session: SparkSession, inputs: Map[String, DataFrame], parameters: Map[String, Any]): EngineOutcome
}

/**
 * Engines that another jar brings: peers to measure against. It names its class in
 * META-INF/services/org.sparkgap.spark.kernel.SparkEngines.
 */
trait SparkEngines {
  def byKernel: Map[String, SparkEngine]
}

object SparkEngines {

  /** Errors: code 2 where no jar brings one for the kernel. */
  private[spark] def of(kernel: String): SparkEngine = {
    val known = ServiceLoader.load(classOf[SparkEngines], loader).asScala.flatMap(_.byKernel).toMap
    known.getOrElse(
      kernel, {
        val others = if (known.isEmpty) "no jar of peers is on the class path"
        else s"spark is there for ${known.keys.toSeq.sorted.mkString(", ")}"
        SparkGapError.refuse("engine", s"native for $kernel ($others)", "'spark'", "Do leave engine out")
      }
    )
  }

  /** Jars of `spark.jars` are known to the thread's loader alone. */
  private def loader: ClassLoader =
    Option(Thread.currentThread.getContextClassLoader).getOrElse(getClass.getClassLoader)
}
