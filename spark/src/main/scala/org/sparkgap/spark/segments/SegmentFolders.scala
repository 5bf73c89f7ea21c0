// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.segments

import java.nio.file.Paths
import java.util.UUID
import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._

import org.sparkgap.spark.application.{DriverPart, LocalHost}
import org.sparkgap.store.{Manifest, SegmentInfo}

/**
 * In the driver: the folders of segments that this application's tables, calls and caches have now.
 *
 * A folder has one name in all homes of all hosts, and no other folder ever gets that name. So a segment's path gives
 * that segment or none. A folder that is not in this list has no owner any more: executors, which ask once a second,
 * remove what they hold of it.
 */
private[spark] final class SegmentFolders {
  import SegmentFolders._

  private val present = ConcurrentHashMap.newKeySet[String]

  /** Unwanted files in folders that are in use, by folder. */
  private val discarded = new ConcurrentHashMap[String, Set[String]]

  /** Whether this is the driver's list: in a local session tasks may have this class from a loader of their own. */
  @volatile private var isKept = false

  /** A name for a folder of segments, until `end`. */
  def begin(label: String): String = added(name(label, UUID.randomUUID().toString))

  /** The same for a cached table, which has no other name. */
  def beginCache(): String = added(s"$CachePrefix${UUID.randomUUID()}")

  private def added(name: String): String = {
    isKept = true
    present.add(name)
    name
  }

  /** Its segments are removed: on this host now, on others a moment later. */
  def end(folder: String): Unit = if (present.remove(folder)) {
    discarded.remove(folder)
    LocalSegments().remove(folder)
  }

  /**
   * Says which segments of a folder count, when all are written. Others are removed: they belong to attempts that Spark
   * did not count.
   *
   * @param noted
   *   the segments that tasks reported
   */
  def settle(folder: String, counted: Seq[SegmentInfo], noted: Seq[SegmentInfo]): Unit = {
    discard(noted.diff(counted))
    val names = counted.map(segment => Paths.get(segment.path).getFileName).toSet
    for (store <- Homes().stores; home <- LocalSegments.list(store);
      file <- LocalSegments.list(home.resolve("segments").resolve(folder)))
      if (file.toString.endsWith(".arrow") && !names(file.getFileName)) LocalSegments().discard(Seq(file.toString))
  }

  /** The same for these segments alone. */
  def discard(segments: Seq[SegmentInfo]): Unit = {
    val (here, others) = segments.partition(segment => LocalHost().is(segment.host))
    LocalSegments().discard(here.map(_.path))
    others.groupMap(segment => folderOf(segment.path))(_.path).foreach { case (folder, paths) =>
      if (present.contains(folder)) discarded.merge(folder, paths.toSet, _ ++ _)
    }
  }

  /** The folders of a table's segments, without those of borrowed and published segments, which are not ours to end. */
  def of(table: Manifest): Seq[String] =
    (table.segments.asScala ++ Option(table.graph).toSeq.flatMap(_.segments.asScala)).map(s =>
      folderOf(s.path)).toSeq.distinct.filter(present.contains)

  /** Which of these names have no owner. Copies of other hosts' segments belong to the process that holds them. */
  def ended(folders: Seq[String]): Seq[String] =
    if (isKept) folders.filterNot(folder => present.contains(folder) || RemoteSegments.isCopy(folder)) else Nil

  def answer(question: Question): Answer =
    Answer(ended(question.folders), question.folders.flatMap(take(_, question.homes)),
      SegmentAddresses().heard(question.executor, question.homes, question.port))

  /** The files of a folder in these homes that must be removed; each is returned once. */
  private def take(folder: String, homes: Seq[String]): Set[String] = {
    val theirs = Option(discarded.get(folder)).getOrElse(Set.empty).filter(file =>
      homes.exists(home => file.startsWith(home + "/")))
    if (theirs.nonEmpty)
      discarded.computeIfPresent(folder, (_, all) => if ((all -- theirs).isEmpty) null else all -- theirs)
    theirs
  }

  /** How many there are. */
  def count: Int = present.size
}

private[spark] object SegmentFolders extends DriverPart(new SegmentFolders) {

  /**
   * What an executor says: the folders that it holds segments in, its homes and the port at which it serves their
   * segments, 0 = it does not.
   */
  final case class Question(executor: String, homes: Seq[String], port: Int, folders: Seq[String]) extends Serializable

  /**
   * @param ended
   *   folders without an owner; @param files unwanted files of other folders; @param token if the executor must serve
   *   its segments, else null
   */
  final case class Answer(ended: Seq[String], files: Seq[String], token: Array[Byte]) extends Serializable

  private val LabelLength = 120
  private val CachePrefix = "cache-"

  def name(label: String, id: String): String = s"${label.take(LabelLength)}.$id"

  def isCache(folder: String): Boolean = folder.startsWith(CachePrefix) && !folder.contains('.')

  def folderOf(path: String): String = Paths.get(path).getParent.getFileName.toString

  /** What a segment's folder was made for: the name of its table. */
  def labelOf(path: String): String = folderOf(path).split('.').head
}
