// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark

import org.apache.spark.SPARK_VERSION
import org.apache.spark.api.plugin.{DriverPlugin, ExecutorPlugin, SparkPlugin}
import org.sparkgap.spark.application.SparkVersions

/**
 * What `spark.plugins=org.sparkgap.spark.SparkGapPlugin` turns on: the catalog `sparkgap`, the homes of driver and
 * executors, and, where it is asked for, task threads on processors of their own.
 *
 * Nothing here needs a class of another Scala, so that a Spark 3 gets as far as the error that says no.
 *
 * Errors: code 2 where sparkgap is not for this Spark.
 */
class SparkGapPlugin extends SparkPlugin {
  override def driverPlugin(): DriverPlugin = {
    SparkVersions.requireSpark4(SPARK_VERSION)
    new SparkGapDriver
  }

  override def executorPlugin(): ExecutorPlugin = {
    SparkVersions.requireSpark4(SPARK_VERSION)
    new SparkGapExecutor
  }
}
