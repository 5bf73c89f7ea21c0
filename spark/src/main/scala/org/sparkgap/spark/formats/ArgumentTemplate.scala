// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.formats

import java.util.regex.Matcher

import scala.util.matching.Regex.Match

import org.sparkgap.spark.application.SparkGapError

/**
 * Arguments of a user's program with places for what only the call knows: {inputs.NAME}, {outputs.NAME}, {rank},
 * {ranks}, {threads}, {job}. What else stands in braces is left alone; a place in double braces loses one pair and is
 * left alone too.
 */
private[spark] object ArgumentTemplate {
  private val Place = """(\{?)\{((?:inputs|outputs)\.[^{}]*|ranks|rank_count|rank|threads|job)\}(\}?)""".r

  /** Errors: code 2 for a place that there is not. */
  def fill(arguments: Seq[String], values: Map[String, String]): Seq[String] =
    arguments.zipWithIndex.map { case (argument, i) =>
      Place.replaceAllIn(
        argument,
        found => {
          val (before, name, behind) = (found.group(1), found.group(2), found.group(3))
          val text =
            if (isDoubled(found)) s"{$name}"
            else before + values.getOrElse(
              name,
              SparkGapError.refuse(s"args[$i]", s"places among ${values.keys.toSeq.sorted.mkString("{", "}, {", "}")}",
                s"{$name}",
                "Do correct the name, or double the braces to mean them")
            ) + behind
          Matcher.quoteReplacement(text)
        }
      )
    }

  /** The places that stand in the arguments. */
  def named(arguments: Seq[String]): Set[String] =
    arguments.flatMap(Place.findAllMatchIn(_)).filterNot(isDoubled).map(_.group(2)).toSet

  /** Those with a / behind: the program means files in a folder. */
  def folders(arguments: Seq[String]): Set[String] =
    arguments.flatMap(argument =>
      Place.findAllMatchIn(argument).filter(found => !isDoubled(found) && argument.startsWith("/", found.end)).map(
        _.group(2))).toSet

  private def isDoubled(found: Match): Boolean = found.group(1).nonEmpty && found.group(3).nonEmpty
}
