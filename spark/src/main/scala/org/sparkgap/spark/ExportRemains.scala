// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark

import java.io.IOException
import java.nio.file.{Files, NoSuchFileException, Path}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.slf4j.LoggerFactory

/** Files of an export that failed: tasks that failed have removed theirs, those that had succeeded have not. */
private[spark] object ExportRemains {
  private val log = LoggerFactory.getLogger("org.sparkgap")

  /** In the homes of all executors; the prefix is this driver's and this export's alone. */
  def delete(store: Path, table: String, prefix: String): Unit = {
    RemoteFiles.dropRemains(table, s"$prefix-")
    try {
      for (home <- CacheFiles.list(store); file <- CacheFiles.list(home.resolve("segments").resolve(table)) if file.getFileName.toString.startsWith(prefix + "-")) {
        Files.deleteIfExists(file)
      }
    } catch {
      case e: IOException => log.warn(s"segments of the failed export of $table in $store: expected to remove them, found $e. They go when the application ends.")
    }
  }
}
