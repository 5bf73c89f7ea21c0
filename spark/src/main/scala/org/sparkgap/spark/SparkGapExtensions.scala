// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark

import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.{ColumnarRule, SparkPlan}
import org.sparkgap.spark.cache.{CacheScanStrategy, CachedColumnsRule}
import org.sparkgap.spark.table.StoreCountStrategy

/**
 * `spark.sql.extensions`: tables that are cached in the store are scanned by columns, plans say where a cached table
 * is, and a count that the store knows is no job.
 */
class SparkGapExtensions extends (SparkSessionExtensions => Unit) {
  override def apply(extensions: SparkSessionExtensions): Unit = {
    extensions.injectColumnar(_ =>
      new ColumnarRule {
        override def preColumnarTransitions: Rule[SparkPlan] = CachedColumnsRule
      })
    extensions.injectPlannerStrategy(_ => StoreCountStrategy)
    extensions.injectPlannerStrategy(session => new CacheScanStrategy(session.asInstanceOf[SparkSession]))
  }
}
