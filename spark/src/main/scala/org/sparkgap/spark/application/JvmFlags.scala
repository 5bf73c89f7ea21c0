// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.application

import java.lang.management.ManagementFactory
import java.nio.file.{Files, Paths}

import scala.util.Try

import com.sun.management.HotSpotDiagnosticMXBean

/** How this JVM was started. */
private[spark] object JvmFlags {

  /** The words of its command line. */
  def command: Seq[String] = Files.readString(Paths.get("/proc/self/cmdline")).split('\u0000').toSeq

  /**
   * Whether new objects lie on the node of the thread that makes them. HotSpot turns it off by itself on a single node.
   */
  def useNuma: Boolean = Try(ManagementFactory.getPlatformMXBean(classOf[HotSpotDiagnosticMXBean]).getVMOption(
      "UseNUMA").getValue.toBoolean).getOrElse(false)
}
