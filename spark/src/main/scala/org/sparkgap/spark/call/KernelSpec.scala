// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.call

import java.nio.file.Path

import scala.jdk.CollectionConverters._
import scala.util.Try
import scala.util.control.NonFatal

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import org.sparkgap.store.SparkGapException

/** A parameter of a kernel; see kernels/spec/spec.h for what the fields say. `default` is null where there is none. */
private[spark] final case class ParameterSpec(name: String, kind: String, default: JsonNode, doc: String,
    min: Option[Double], max: Option[Double],
    minExclusive: Boolean, maxExclusive: Boolean, expected: String, choices: Seq[String], of: String, accepts: String)

/**
 * An input table of a kernel; `columns` are those of fixed names with what they accept. A stored graph stands for all
 * others.
 */
private[spark] final case class InputSpec(name: String, required: Boolean, doc: String, columns: Seq[(String, String)],
    storedGraph: Boolean)

/**
 * The kernel's own figure of the memory that the ranks of a job take if its inputs have at most this many rows and
 * bytes.
 */
private[spark] final case class SmallJobs(rows: Long, bytes: Long, rankBytes: Long, mpiRankBytes: Long,
    threadBytes: Long) {
  def memory(ranks: Int, threads: Int): Long =
    ranks * ((if (ranks > 1) mpiRankBytes else rankBytes) + (threads - 1) * threadBytes)
}

/**
 * The one declaration of a kernel, as its program describes itself.
 *
 * @param saysMemory
 *   whether the program answers `--memory`; programs compiled by older versions do not
 * @param small
 *   the jobs whose memory is known without that question; None if it depends on values
 */
private[spark] final case class KernelSpec(name: String, family: String, summary: String, inputs: Seq[InputSpec],
    parameters: Seq[ParameterSpec], makesGraph: Boolean,
    saysMemory: Boolean, small: Option[SmallJobs], program: Path)

private[spark] object KernelSpec {
  private val Json = new ObjectMapper

  /** The Spec in a program's own description. Throws what `wrong` makes of any other text. */
  def parse(text: Array[Byte], program: Path, wrong: String => SparkGapException): KernelSpec =
    try {
      val root = Json.readTree(text)
      KernelSpec(
        word(root, "name"),
        word(root, "family"),
        root.path("summary").asText,
        elements(root, "inputs").map(input),
        elements(root, "parameters").map(parameter),
        root.path("makes_graph").asBoolean,
        root.path("memory").has("result"),
        Option(root.get("small")).filterNot(_.isNull).map(small),
        program
      )
    } catch {
      case NonFatal(e) => throw wrong(String.valueOf(e.getMessage).linesIterator.nextOption().getOrElse(e.toString))
    }

  private def input(node: JsonNode): InputSpec =
    InputSpec(
      word(node, "name"),
      node.path("required").asBoolean,
      node.path("doc").asText,
      elements(node, "columns").map(c => word(c, "name") -> word(c, "accepts")),
      node.path("stored_graph").asBoolean
    )

  private def parameter(node: JsonNode): ParameterSpec =
    ParameterSpec(
      word(node, "name"),
      word(node, "kind"),
      Option(node.get("default")).filterNot(_.isNull).orNull,
      node.path("doc").asText,
      number(node, "min"),
      number(node, "max"),
      node.path("min_exclusive").asBoolean,
      node.path("max_exclusive").asBoolean,
      word(node, "expected"),
      elements(node, "choices").map(_.asText),
      node.path("of").asText,
      node.path("accepts").asText
    )

  private def small(node: JsonNode): SmallJobs = {
    def number(name: String): Long = node.path(name).asLong
    SmallJobs(number("rows"), number("bytes"), number("rank_bytes"), number("mpi_rank_bytes"), number("thread_bytes"))
  }

  private def elements(node: JsonNode, name: String): Seq[JsonNode] = node.path(name).elements.asScala.toSeq

  private def number(node: JsonNode, name: String): Option[Double] =
    Option(node.get(name)).filter(_.isNumber).map(_.asDouble)

  private def word(node: JsonNode, name: String): String =
    Option(node.get(name)).flatMap(n => Try(n.textValue).toOption).filter(_ != null).getOrElse(
      throw new IllegalArgumentException(s"no '$name'"))
}
