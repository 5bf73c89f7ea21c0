// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.programs

import java.io.{IOException, RandomAccessFile}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path, StandardCopyOption}

import scala.util.Using

import org.slf4j.LoggerFactory
import org.sparkgap.spark.formats.ProgramFolder
import org.sparkgap.store.StoreHome

/** What the ranks of a user's program have printed, in the home of the driver. */
private[spark] final class ProgramLogs(home: StoreHome, job: String) {
  val folder: Path =
    ProgramFolder.room(home)(Files.createDirectory(home.jobs.resolve(s"$job-printed"), ProgramFolder.Private))

  /** The last that rank 0 printed. */
  def printed: String = {
    val log = folder.resolve("rank-0.log")
    if (!Files.exists(log)) ""
    else Using.resource(new RandomAccessFile(log.toFile, "r")) { in =>
      val bytes = new Array[Byte](math.min(in.length, ProgramLogs.PrintedBytes).toInt)
      in.seek(in.length - bytes.length)
      in.readFully(bytes)
      new String(bytes, UTF_8).stripTrailing
    }
  }

  /** Copies them to the folder that the user named. If that fails, the call still ends as it would have. */
  def keep(to: Path): Unit =
    try ProgramFolder.list(folder).foreach(log =>
        Files.copy(log, to.resolve(log.getFileName), StandardCopyOption.REPLACE_EXISTING))
    catch { case e: IOException => ProgramLogs.report.warn(s"logs: cannot write $to: ${e.getMessage}") }

  /** Files that a dying rank adds meanwhile go with the home. */
  def delete(): Unit = ProgramFolder.delete(folder)
}

private[spark] object ProgramLogs {
  private val report = LoggerFactory.getLogger("sparkgap")
  private val PrintedBytes = 4096L
}
