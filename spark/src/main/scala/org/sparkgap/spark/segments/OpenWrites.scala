// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.segments

import java.nio.file.{Files, Paths}

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.apache.spark.SparkEnv
import org.sparkgap.spark.application.{DriverLink, DriverPart}
import org.sparkgap.store.SegmentInfo

/**
 * The exports and cached tables that tasks write segments for now, by folder.
 *
 * Spark may run an attempt of a task to its end after its result has become useless: speculation, a cancelled job, an
 * executor that counts as lost. So a task asks the driver once its files are whole. If the write has ended by then, the
 * task removes its files. If not, the driver notes them, and removes those that it did not use when the write ends. So
 * no file is left.
 */
private[spark] final class OpenWrites extends AutoCloseable {
  import OpenWrites._

  override def close(): Unit =
    System.getProperties.stringPropertyNames.asScala.filter(_.startsWith(Key)).foreach(System.clearProperty)

  private val heard = mutable.HashMap.empty[String, Seq[SegmentInfo]]

  def begin(name: String): Unit = System.setProperty(Key + name, "open"): Unit

  /** Whatever is written from now on goes; what executors have said until now that they wrote. */
  def end(name: String): Seq[SegmentInfo] = synchronized {
    System.clearProperty(Key + name)
    heard.remove(name).getOrElse(Seq.empty)
  }

  /** In the driver: whether the files are still wanted. */
  def answer(question: Question): java.lang.Boolean = synchronized {
    val open = isOpen(question.name)
    if (open && question.written.nonEmpty)
      heard(question.name) = heard.getOrElse(question.name, Seq.empty) ++ question.written.map {
        case (host, path, rows, bytes, crc) => new SegmentInfo(host, path, rows, bytes, crc)
      }
    open
  }

  /**
   * In a task, when its files are whole: whether they are still wanted. If not, they are removed.
   *
   * @param noted
   *   whether the driver is to know of them when it is over
   */
  def keep(name: String, segments: Seq[SegmentInfo], noted: Boolean): Boolean = {
    var wanted = false
    try wanted =
        if (SparkEnv.get.executorId == "driver") isOpen(name)
        else !DriverLink().isUp || DriverLink().ask(Question(name,
            if (noted) segments.map(s => (s.host, s.path, s.rows, s.bytes, s.crc32c)).toVector
            else Vector.empty)) == java.lang.Boolean.TRUE
    finally if (!wanted) segments.foreach(segment => Files.deleteIfExists(Paths.get(segment.path)))
    wanted
  }

  private def isOpen(name: String): Boolean = System.getProperty(Key + name) != null
}

private[spark] object OpenWrites extends DriverPart(new OpenWrites) {

  /** The fields of a SegmentInfo. */
  type Written = (String, String, Long, Long, String)

  /** What an executor asks. */
  final case class Question(name: String, written: Vector[OpenWrites.Written]) extends Serializable

  // A JVM may have this class twice, but its properties once (see HeldHomes): a task of a local session asks there.
  private val Key = "sparkgap.writing."
}
