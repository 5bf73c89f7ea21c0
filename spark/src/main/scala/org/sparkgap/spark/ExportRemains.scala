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

  /** In the homes of all executors of this host; the prefix is this driver's and this export's alone. */
  def delete(store: Path, table: String, prefix: String): Unit =
    try {
      for (home <- list(store); file <- list(home.resolve("segments").resolve(table)) if file.getFileName.toString.startsWith(prefix + "-")) {
        Files.deleteIfExists(file)
      }
    } catch {
      case e: IOException => log.warn(s"segments of the failed export of $table in $store: expected to remove them, found $e. They go when the application ends.")
    }

  private def list(directory: Path): Seq[Path] =
    if (!Files.isDirectory(directory)) Seq.empty
    else try Using.resource(Files.list(directory))(_.iterator.asScala.toList) catch { case _: NoSuchFileException => Seq.empty }
}
