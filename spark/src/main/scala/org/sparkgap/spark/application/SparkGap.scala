// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.application

import org.apache.spark.sql.SparkSession
import org.sparkgap.store.SparkGapException

/** The names of sparkgap in a Spark application, and whether it is on. */
private[spark] object SparkGap {

  /** The value for `spark.plugins`. */
  val Plugin = "org.sparkgap.spark.SparkGapPlugin"

  val CatalogName = "sparkgap"

  /** Not a setting: clients compare it with their own version. */
  val VersionKey = "spark.sparkgap.version"

  /** The version of the jar; classes in a folder have none. */
  def version: String = Option(getClass.getPackage.getImplementationVersion).getOrElse("unknown")

  /** Errors: code 2 for a session that was started without the plug-in. */
  def require(session: SparkSession): Unit =
    if (session.conf.getOption(VersionKey).isEmpty) {
      SparkGapError.refuse(
        "session",
        s"a Spark session with spark.plugins=$Plugin",
        "one that was started without it",
        s"Do start it with --conf spark.plugins=$Plugin and sparkgap.jar on --driver-class-path and --jars"
      )
    }

  /** The error of a JVM without the plug-in. */
  def absent(found: String): SparkGapException =
    new SparkGapException(SparkGapException.ARGUMENTS, "spark.plugins", s"$Plugin among them", found,
      "Do start the session with it")
}
