// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark

import java.io.IOException
import java.nio.file.{Files, Path, Paths}
import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._

import org.sparkgap.store.SegmentInfo

/** Segments on the executors' hosts that are to go: the driver, which has the tables, says so, and the executors ask once a second. */
private[spark] object RemoteFiles {
  /** What an executor asks, with the folders of its homes and the port at which it serves their segments, 0 = it does not. */
  final case class Question(executor: String, homes: Seq[String], port: Int) extends Serializable

  /** @param tables cached tables that were dropped; @param files of that executor; @param remains folders of segments that failed jobs have left, each with the prefix of their files; @param token where the executor is to serve its segments, else null */
  final case class Answer(tables: Set[String], files: Seq[String], remains: Seq[(String, String)], token: Array[Byte]) extends Serializable

  private val files = ConcurrentHashMap.newKeySet[String]
  private val remains = ConcurrentHashMap.newKeySet[(String, String)]

  /** Those of the segments that are not on this host go soon. */
  def drop(segments: Iterable[SegmentInfo]): Unit =
    if (!LocalHost.allHere) segments.filterNot(segment => LocalHost.isHere(segment.host)).foreach(segment => files.add(segment.path))

  /** So do, on every other host, the files of a folder of segments whose names begin so. */
  def dropRemains(folder: String, prefix: String): Unit = if (!LocalHost.allHere) remains.add((folder, prefix))

  def answer(question: Question): Answer = {
    val theirs = files.asScala.filter(file => question.homes.exists(home => file.startsWith(home + "/"))).toSeq
    theirs.foreach(files.remove)
    Answer(CachedTables.dropped.toSet, theirs, remains.asScala.toSeq, SegmentAddresses.heard(question.executor, question.homes, question.port))
  }

  /** Removes what this executor has of it. */
  def remove(answer: Answer): Unit = {
    answer.files.map(Paths.get(_)).foreach(delete)
    for ((folder, prefix) <- answer.remains; home <- Homes.all; file <- CacheFiles.list(home.path.resolve("segments").resolve(folder)) if file.getFileName.toString.startsWith(prefix)) delete(file)
  }

  def clear(): Unit = {
    files.clear()
    remains.clear()
  }

  private def delete(file: Path): Unit =
    if (Homes.all.exists(home => file.normalize.startsWith(home.path)) && file.toString.endsWith(".arrow")) {
      CacheFiles.forget(file)
      try {
        Files.deleteIfExists(file)
        if (CacheFiles.list(file.getParent).isEmpty) Files.deleteIfExists(file.getParent)
      } catch { case _: IOException => } // a task that writes there still
    }
}
