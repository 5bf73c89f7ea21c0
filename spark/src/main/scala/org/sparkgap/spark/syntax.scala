// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.sparkgap.spark.methods.{FrameMethods, SessionMethods}

/**
 * The kernels as methods of DataFrames and sessions: `import org.sparkgap.spark.syntax._`, then
 * `edges.sparkgap.pagerank(damping = 0.85, max_iterations = 10)` or `spark.sparkgap.rmat(scale = 20)`.
 */
object syntax {
  implicit final class SparkGapFrame(private val data: DataFrame) extends AnyVal {
    def sparkgap: FrameMethods = new FrameMethods(data)
  }

  implicit final class SparkGapSession(private val session: SparkSession) extends AnyVal {
    def sparkgap: SessionMethods = new SessionMethods(session)
  }
}
