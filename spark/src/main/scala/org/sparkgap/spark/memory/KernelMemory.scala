// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.memory

import java.io.IOException
import java.nio.charset.StandardCharsets.UTF_8

import scala.util.Using

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import com.fasterxml.jackson.databind.node.ObjectNode
import org.sparkgap.launch.Program
import org.sparkgap.spark.application.WatchedWork
import org.sparkgap.store.SparkGapException

/**
 * Asks a kernel's program what memory a job will take (kernels/README.md, Memory). The program runs for a moment on
 * this host, under a guard, and starts no ranks.
 *
 * Each question ends, without an answer, once `goOn` returns false. Errors: those of the program, such as code 3 for a
 * segment that cannot be read; InterruptedException.
 */
private[spark] final class KernelMemory(program: Program) {
  import KernelMemory._

  /** What the rows on a host say about the memory, as JSON. */
  def look(job: String, host: String)(goOn: () => Boolean): Option[String] =
    ask("--look", "-", host)(job)(goOn).map(_.toString)

  /**
   * What each rank takes, without the mapped inputs.
   *
   * @param looks
   *   of all hosts; none if all rows are on this one
   */
  def ofRank(job: String, looks: Seq[String])(goOn: () => Boolean): Option[Need] = {
    val root = Json.readTree(job).asInstanceOf[ObjectNode]
    if (looks.nonEmpty) {
      val all = root.putArray("looks")
      looks.foreach(look => all.add(Json.readTree(look)))
    }
    val ranks = root.path("ranks").asInt
    ask("--memory", "-")(root.toString)(goOn).map { said =>
      val bytes = said.path("memory_bytes").asLong
      Need(bytes / ranks, said.path("least_bytes").asLong(bytes) / ranks) // older programs do not say the least
    }
  }

  /** About the bytes of the graph that a job makes; 0 if it makes none. */
  def result(job: String)(goOn: () => Boolean): Option[Long] =
    ask("--result", "-")(job)(goOn).map(_.path("result_bytes").asLong)

  /** Bytes per second that this host's disk gives of a job's stored graph; 0 if it is on none, or nobody knows. */
  def diskSpeed(job: String)(goOn: () => Boolean): Option[Double] =
    try ask("--disk", "-")(job)(goOn).map(_.path("bytes_per_second").asDouble)
    catch { case e: SparkGapException if e.code == SparkGapException.ARGUMENTS => Some(0) } // of an older program

  private def ask(words: String*)(input: String)(goOn: () => Boolean): Option[JsonNode] = {
    val process = Program.question(program.guard, program.executable, words: _*).redirectErrorStream(true).start()
    val work = new WatchedWork("sparkgap-memory", () => process.destroyForcibly(): Unit)({
      try Using.resource(process.getOutputStream)(_.write(input.getBytes(UTF_8)))
      catch { case _: IOException => } // it ended before it had read all, and its last line says why
      val last = new String(process.getInputStream.readNBytes(MostBytes), UTF_8).strip.linesIterator.toSeq.lastOption
      val status = process.waitFor()
      last.filter(_ => status == 0 && process.getInputStream.read() < 0).flatMap(line =>
        Option(Json.readTree(line))).getOrElse(throw failed(words.head, status, last))
    })
    Using.resource(work)(_.await(goOn))
  }

  private def failed(word: String, status: Int, last: Option[String]): SparkGapException =
    last.filter(_ => Known(status)).map(message => new SparkGapException(status, message)).getOrElse(
      new SparkGapException(
        SparkGapException.LOST,
        s"memory of ${program.name}",
        s"an answer of ${program.executable} $word",
        s"exit $status${last.fold("")(line => s" after '$line'")}",
        "Do run again"
      ))
}

private[spark] object KernelMemory {
  import SparkGapException._

  /** Bytes of a rank that is as fast as it can be, and the least with which it runs. */
  final case class Need(bytes: Long, least: Long)

  private val Json = new ObjectMapper
  private val MostBytes = 1 << 20
  private val Known = Set(ARGUMENTS, DATA, NO_ROOM, LOST, BUG)
}
