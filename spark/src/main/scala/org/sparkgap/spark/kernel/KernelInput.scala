// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.kernel

import java.util.{List => JList, Locale}

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.spark.sql.{AnalysisException, DataFrame, SparkSession}
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.types._
import org.sparkgap.spark.application.SparkGapError
import org.sparkgap.spark.call.{Arguments, InputSpec, KernelSpec}
import org.sparkgap.spark.published.StoredGraphs
import org.sparkgap.spark.table.ResultLineage
import org.sparkgap.store.{Manifest, SparkGapException}

/**
 * What a kernel is given as an input: the columns of a table that it asks for, as a query that has no others, or a
 * stored graph.
 */
private[spark] sealed trait KernelInput {
  def spec: InputSpec
}
private[spark] final case class TableInput(spec: InputSpec, data: DataFrame) extends KernelInput
private[spark] final case class GraphStored(spec: InputSpec, manifest: Manifest) extends KernelInput

/** Finds a kernel's inputs by name and checks their columns before anything runs. */
private[spark] object KernelInput {
  private val Integers: Set[DataType] = Set(ByteType, ShortType, IntegerType, LongType)
  private val Numbers: Set[DataType] = Integers ++ Set(FloatType, DoubleType)

  /**
   * The given inputs in the Spec's order, and the parameters with each column's name as its table has it.
   *
   * Errors: code 2 for a table that is not there, 3 for a column that is missing, ambiguous or of a type the kernel
   * does not take.
   */
  def resolve(session: SparkSession, spec: KernelSpec, arguments: Arguments, frames: Map[String, DataFrame] = Map.empty)
      : (Seq[KernelInput], Map[String, Any]) =
    storedGraph(session, spec, arguments).fold(tables(session, spec, arguments, frames))(stored =>
      (Seq(stored), arguments.parameters))

  /** The graph that is named as such, or in the place of the first table. */
  private def storedGraph(session: SparkSession, spec: KernelSpec, arguments: Arguments): Option[GraphStored] =
    spec.inputs.find(_.storedGraph).flatMap { input =>
      val asGraph = arguments.inputs(input.name).map(StoredGraphs.load(input.name, _))
      val stored = asGraph.orElse(arguments.inputs(spec.inputs.head.name).flatMap(StoredGraphs.named(session, _)))
      spec.inputs.drop(1).filter(other =>
        stored.isDefined && !other.storedGraph && arguments.inputs(other.name).isDefined).foreach { other =>
        SparkGapError.refuse(other.name, "none beside a stored graph, which has its own", "one",
          s"Do leave ${other.name} out")
      }
      stored.foreach(StoredGraphs.checkWeight(_, arguments.parameters.getOrElse("weight", null).asInstanceOf[String]))
      stored.map(graph => GraphStored(input, ResultLineage().whole(graph)))
    }

  private def tables(session: SparkSession, spec: KernelSpec, arguments: Arguments, frames: Map[String, DataFrame])
      : (Seq[KernelInput], Map[String, Any]) = {
    var parameters = arguments.parameters
    var ids = Seq.empty[(String, DataType)]
    val inputs = for (input <- spec.inputs if !input.storedGraph; name <- arguments.inputs(input.name)) yield {
      val table = frames.getOrElse(input.name, find(session, input.name, name))
      def found(column: String, accepts: String, parameter: Option[String]): String = {
        val field = pick(session, table.schema, s"${input.name}.$column", column, parameter)
        accept(s"${input.name}.${field.name}", field.dataType, accepts, parameter)
        if (accepts == "id") ids :+= (s"${input.name}.${field.name}" -> field.dataType)
        field.name
      }
      val fixed = input.columns.map { case (column, accepts) => found(column, accepts, None) }
      val chosen =
        spec.parameters.filter(p => p.of == input.name && parameters.getOrElse(p.name, null) != null).flatMap { p =>
          val names = parameters(p.name) match {
            case several: JList[_] => several.asScala.toSeq.map(name => found(name.toString, p.accepts, Some(p.name)))
            case one => Seq(found(one.toString, p.accepts, Some(p.name)))
          }
          parameters += p.name -> (if (p.kind == "columns") names.asJava else names.head)
          names
        }
      TableInput(input, table.select((fixed ++ chosen).distinct.map(c => col(quoted(c))): _*))
    }
    sameKind(ids)
    (inputs, parameters)
  }

  /** What a call once read, as it can be read now. */
  def anew(input: KernelInput): KernelInput = input match {
    case TableInput(spec, data) => TableInput(spec, data.toDF()) // planned anew
    case GraphStored(spec, manifest) => GraphStored(spec, ResultLineage().whole(manifest))
  }

  def quoted(name: String): String = "`" + name.replace("`", "``") + "`"

  /** Errors: code 2 where there is no table or view of that name. */
  def find(session: SparkSession, input: String, name: String): DataFrame =
    try session.table(name)
    catch {
      case e: AnalysisException =>
        val found =
          if (e.getCondition == "TABLE_OR_VIEW_NOT_FOUND") "none of that name" else e.getMessage.linesIterator.next()
        throw new SparkGapException(SparkGapException.ARGUMENTS, input, s"a table or view '$name'", found,
          s"Do df.createOrReplaceTempView(\"name\") and pass $input => 'name'")
      case NonFatal(e) if SparkGapError.find(e).isDefined => throw SparkGapError.find(e).get
    }

  private def pick(session: SparkSession, schema: StructType, where: String, column: String, parameter: Option[String])
      : StructField = {
    val caseSensitive = session.conf.get("spark.sql.caseSensitive", "false").toBoolean
    val exact = schema.fields.filter(_.name == column)
    val same = if (exact.nonEmpty || caseSensitive) exact
    else schema.fields.filter(_.name.toLowerCase(Locale.ROOT) == column.toLowerCase(Locale.ROOT))
    val hint = parameter.fold("Do rename it")(p => s"Do pass $p => 'name'")
    if (same.isEmpty) {
      val found = if (schema.isEmpty) "no columns" else "columns " + schema.fieldNames.take(20).mkString(", ")
      throw new SparkGapException(SparkGapException.DATA, where, s"a column named '$column'", found, hint)
    }
    if (same.length > 1) {
      throw new SparkGapException(SparkGapException.DATA, where, s"one column named '$column'",
        s"${same.length} of them", "Do rename all but one")
    }
    same.head
  }

  private def accept(where: String, found: DataType, accepts: String, parameter: Option[String]): Unit = {
    val (taken, expected) = accepts match {
      case "id" | "key" => (Integers.contains(found) || found == StringType, "an integer or string column")
      case "number" => (Numbers.contains(found), "an integer, float or double column")
      case "features" =>
        (Numbers.contains(found) || isFeatures(found), "a column of numbers, of arrays of numbers or of vectors")
      case _ => (true, "")
    }
    if (!taken) {
      throw new SparkGapException(SparkGapException.DATA, where, expected, found.simpleString,
        "Do cast it" + parameter.fold("")(p => s" or pass another column as $p"))
    }
  }

  private def isFeatures(found: DataType): Boolean = found match {
    case ArrayType(element, _) => Numbers.contains(element)
    case other => other.typeName == "vector"
  }

  private def sameKind(ids: Seq[(String, DataType)]): Unit = ids.headOption.foreach { case (first, like) =>
    ids.find { case (_, kind) => (kind == StringType) != (like == StringType) }.foreach { case (other, kind) =>
      throw new SparkGapException(SparkGapException.DATA, other, s"ids of one kind: $first is ${like.simpleString}",
        kind.simpleString, "Do cast one of them")
    }
  }
}
