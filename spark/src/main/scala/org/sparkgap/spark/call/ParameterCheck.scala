// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.call

import java.util.{List => JList}

import scala.jdk.CollectionConverters._

import org.sparkgap.spark.application.SparkGapError

/**
 * A parameter's value against its Spec, before anything is exported; the programs check the same and say it in the same
 * words.
 */
private[spark] object ParameterCheck {

  /** Errors: code 2 naming the parameter. */
  def checked(p: ParameterSpec, passed: Any): Any = (p.kind, passed) match {
    case ("int", n: Long) => inRange(p, n.toDouble, n.toString, n)
    case ("double", d: Double) => inRange(p, d, number(d), d)
    case ("choice", word: String) =>
      if (p.choices.contains(word)) word else refuse(p, s"'$word'")
    case ("column", "") => refuse(p, "''")
    case ("columns", names: JList[_]) =>
      if (names.isEmpty || names.asScala.exists(name => name == null || name == ""))
        refuse(p, if (names.isEmpty) "an empty list" else "a name that is empty")
      else names
    case ("ids", ids: JList[_]) =>
      if (ids.isEmpty) refuse(p, "an empty list")
      else if (ids.asScala.exists(_ == null)) refuse(p, "a null among them")
      else ids
    case (_, value) => value
  }

  /** A value that was given as text. Errors: code 2 naming the parameter. */
  def parsed(p: ParameterSpec, text: String): Any = p.kind match {
    case "bool" => text.toBooleanOption.getOrElse(refuse(p, s"'$text'"))
    case "int" => text.toLongOption.getOrElse(refuse(p, s"'$text'"))
    case "double" => text.toDoubleOption.getOrElse(refuse(p, s"'$text'"))
    case "ids" | "columns" => text.split(",").map(_.trim).filter(_.nonEmpty).toSeq.asJava
    case _ => text
  }

  /** The value where none was given: the Spec's default, or null. */
  def fallback(p: ParameterSpec): Any =
    if (p.default == null && p.kind == "id")
      SparkGapError.refuse(p.name, p.expected, "nothing", s"Do pass ${p.name} => 'id'")
    else if (p.default == null) null
    else p.kind match {
      case "bool" => p.default.asBoolean
      case "int" => p.default.asLong
      case "double" => p.default.asDouble
      case "ids" | "columns" => p.default.elements.asScala.map(_.asText).toSeq.asJava
      case _ => p.default.asText
    }

  private def inRange(p: ParameterSpec, value: Double, found: String, passed: Any): Any = {
    val above = p.min.forall(min => if (p.minExclusive) value > min else value >= min)
    val below = p.max.forall(max => if (p.maxExclusive) value < max else value <= max)
    if (above && below && !value.isInfinite && !value.isNaN) passed else refuse(p, found)
  }

  private def number(d: Double): String = if (d == math.rint(d) && d.abs < 1e15) d.toLong.toString else d.toString

  private def refuse(p: ParameterSpec, found: String): Nothing =
    SparkGapError.refuse(p.name, p.expected, found, s"Choose another ${p.name}")
}
