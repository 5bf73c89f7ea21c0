// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.segments

import java.io.IOException
import java.nio.file.{Files, NoSuchFileException, Path, Paths}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.slf4j.LoggerFactory
import org.sparkgap.spark.application.ProcessPart
import org.sparkgap.store.{EvictableSegments, MappedSegments, SegmentPlace}

/**
 * The segments of cached tables as this process has them: where new ones go, which are mapped, which may move to disk.
 */
private[spark] final class LocalSegments {
  import LocalSegments._

  private val evictable = new EvictableSegments(mapped)
  @volatile private var collectAfter = System.nanoTime()

  /** Errors: code 3 where the file is gone or damaged. */
  def open(path: Path): MappedSegments#Lease = {
    evictable.use(path)
    mapped.open(path)
  }

  /** Memory as long as there is room, by moving others to disk if need be; then the disk. */
  def place(table: String, onDisk: Boolean): SegmentPlace = new SegmentPlace {
    private var inMemory = false

    override def begin(bytes: Long): Path = {
      inMemory = !onDisk && take(bytes)
      Homes().current(if (inMemory) Tier.Memory else Tier.Disk).segments(table)
    }

    override def grow(bytes: Long): Boolean = !inMemory || take(bytes)
  }

  /**
   * Notes that a partition is written, and removes files of an earlier run: Spark has lost their handles, or it would
   * not have run again.
   */
  def written(table: String, partition: Int, paths: Seq[String]): Unit = {
    Housekeeping().start()
    val kept = paths.map(Paths.get(_))
    for (home <- Homes().all; file <- list(home.path.resolve("segments").resolve(table))
      if file.getFileName.toString.startsWith(s"part-$partition-") && !kept.exists(
        _.getFileName == file.getFileName) && file.toString.endsWith(".arrow")) {
      mapped.forget(file)
      Files.deleteIfExists(file)
    }
    kept.filter(Tier.of(_) == Tier.Memory).foreach(evictable.add)
  }

  /** Removes segments that Spark did not take. */
  def discard(paths: Seq[String]): Unit = paths.map(Paths.get(_)).foreach { file =>
    evictable.remove(file)
    mapped.forget(file)
    Files.deleteIfExists(file)
  }

  /** Removes a table's files from all homes of this host. */
  def remove(table: String): Unit =
    for (store <- Homes().stores; home <- list(store)) {
      val folder = home.resolve("segments").resolve(table)
      evictable.removeBelow(folder)
      mapped.forgetBelow(folder)
      if (Files.isDirectory(folder)) {
        try {
          list(folder).foreach(Files.deleteIfExists(_))
          Files.deleteIfExists(folder)
        } catch {
          // A task still writes; the next round of housekeeping tries again.
          case e: IOException => log.debug(s"$folder: $e")
        }
      }
    }

  /** The cached tables of all this user's processes on this host, with their files. */
  def everywhere: Seq[(String, Seq[Path])] =
    (for (store <- Homes().stores; home <- list(store); table <- list(home.resolve("segments"))
      if SegmentFolders.isCache(table.getFileName.toString)) yield table)
      .groupBy(_.getFileName.toString).toSeq.sortBy(_._1).map { case (name, folders) =>
        name -> folders.flatMap(list).filter(_.toString.endsWith(".arrow")).distinctBy(_.toRealPath())
      }

  /**
   * Unmaps segments without a reader. Only the collector knows the last reader: a thread that outlives its task may
   * hold a vector. An idle heap is not collected, so memory of dropped tables would stay until a job needs it.
   */
  def tidy(): Unit = {
    mapped.unmapForgotten(IdleNanos)
    val now = System.nanoTime()
    if (now - collectAfter >= 0 && mapped.heldBytes(UncollectedNanos) > 0) {
      System.gc()
      val end = System.nanoTime()
      collectAfter = end + math.max(CollectingPauseNanos, CollectingShare * (end - now))
    }
  }

  /** Notes that the file has changed. */
  def forget(file: Path): Unit = mapped.forget(file)

  def mappedBytes: Long = mapped.mappedBytes

  /**
   * Moves the least recently used segment without a reader from memory to disk; false if there is none, or no room.
   */
  def evict(): Boolean =
    Homes().makeRoom() || evictable.evict(folder => Homes().current(Tier.Disk).segments(folder.getFileName.toString))

  private def take(bytes: Long): Boolean = Homes().room.take(bytes, () => evict())
}

private[spark] object LocalSegments extends ProcessPart(new LocalSegments) {
  private val log = LoggerFactory.getLogger("sparkgap")

  /** After the collector has found a mapping without a reader. */
  private val IdleNanos = 500000000L

  /** The time to wait for a collection, as one happens while tasks run, before one is requested. */
  private val UncollectedNanos = 1000000000L

  /** Requested collections take at most this share of the time. */
  private val CollectingShare = 20

  private val CollectingPauseNanos = 5000000000L
  private val mapped = new MappedSegments

  def list(directory: Path): Seq[Path] =
    if (!Files.isDirectory(directory)) Seq.empty
    else
      try Using.resource(Files.list(directory))(_.iterator.asScala.toList)
      catch { case _: NoSuchFileException => Seq.empty }
}
