// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.call

import java.util.{List => JList}

import scala.jdk.CollectionConverters._

import org.sparkgap.spark.application.SparkGapError

/** A parameter's value against its Spec, before anything is exported; the programs check the same and say it in the same words. */
private[spark] object ParameterCheck {
  /** Above 0: a Spec has no exclusive minimum and says so with the smallest of numbers. */
  private val Tiny = 1e-100

  /** Errors: code 2 naming the parameter. */
  def checked(p: ParameterSpec, given: Any): Any = (p.kind, given) match {
    case ("int", n: Long) => inRange(p, n.toDouble, "a whole number", n.toString, n)
    case ("double", d: Double) => inRange(p, d, "a number", number(d), d)
    case ("choice", word: String) =>
      if (p.choices.contains(word)) word else refuse(p, s"one of ${p.choices.mkString(", ")}", s"'$word'")
    case ("column", "") => refuse(p, s"the name of a column of ${p.of}", "''")
    case ("columns", names: JList[_]) =>
      if (names.isEmpty || names.asScala.exists(name => name == null || name == "")) refuse(p, s"a list of names of columns of ${p.of}", if (names.isEmpty) "an empty list" else "a name that is empty")
      else names
    case ("ids", ids: JList[_]) =>
      if (ids.isEmpty) refuse(p, "a list of at least one id", "an empty list")
      else if (ids.asScala.exists(_ == null)) refuse(p, "ids that are not null", "a null among them")
      else ids
    case (_, value) => value
  }

  /** A value that was given as text. Errors: code 2 naming the parameter. */
  def parsed(p: ParameterSpec, text: String): Any = p.kind match {
    case "bool" => text.toBooleanOption.getOrElse(refuse(p, "true or false", s"'$text'"))
    case "int" => text.toLongOption.getOrElse(refuse(p, "a whole number" + range(p), s"'$text'"))
    case "double" => text.toDoubleOption.getOrElse(refuse(p, "a number" + range(p), s"'$text'"))
    case "ids" | "columns" => text.split(",").map(_.trim).filter(_.nonEmpty).toSeq.asJava
    case _ => text
  }

  /** The value where none was given: the Spec's default, or null. */
  def fallback(p: ParameterSpec): Any =
    if (p.default == null && p.kind == "id") SparkGapError.refuse(p.name, "an id", "nothing", s"Do pass ${p.name} => 'id'")
    else if (p.default == null) null
    else p.kind match {
      case "bool" => p.default.asBoolean
      case "int" => p.default.asLong
      case "double" => p.default.asDouble
      case "ids" | "columns" => p.default.elements.asScala.map(_.asText).toSeq.asJava
      case _ => p.default.asText
    }

  private def inRange(p: ParameterSpec, value: Double, what: String, found: String, given: Any): Any = {
    val inside = !value.isInfinite && p.min.forall(value >= _) && p.max.forall(max => if (p.maxExclusive) value < max else value <= max)
    if (inside && !value.isNaN) given else refuse(p, what + range(p), found)
  }

  private def range(p: ParameterSpec): String = (p.min, p.max) match {
    case (Some(min), Some(max)) => s" in [${number(min)}, ${number(max)}${if (p.maxExclusive) ")" else "]"}"
    case (Some(min), None) => if (min > 0 && min < Tiny) " above 0" else s" of at least ${number(min)}"
    case (None, Some(max)) => (if (p.maxExclusive) " below " else " of at most ") + number(max)
    case (None, None) => ""
  }

  private def number(d: Double): String = if (d == math.rint(d) && d.abs < 1e15) d.toLong.toString else d.toString

  private def refuse(p: ParameterSpec, expected: String, found: String): Nothing = SparkGapError.refuse(p.name, expected, found, s"Choose another ${p.name}")
}
