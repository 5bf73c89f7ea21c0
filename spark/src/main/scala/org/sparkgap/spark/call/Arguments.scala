// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.call

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.types.{ArrayType, BooleanType, DataType, DoubleType, LongType, MapType, StringType}
import org.sparkgap.spark.application.{Conf, SparkGapError}
import org.sparkgap.store.SparkGapException

/**
 * What a CALL gave, read from Spark's row and checked against the kernel's Spec.
 *
 * @param inputs
 *   table names by input; None = not given
 * @param parameters
 *   complete, defaults filled in, as docs/program-contract.md has them in job.json (null = not given)
 */
private[spark] final case class Arguments(inputs: Map[String, Option[String]], parameters: Map[String, Any],
    engine: String, ranks: Option[Long],
    threads: Option[Long], timeoutSeconds: Option[Double], result: Option[String])

private[spark] object Arguments {
  val Engines: Seq[String] = Seq("native", "spark")

  /**
   * The signature of a kernel's procedure: inputs, the Spec's parameters, and what all kernels share. All are optional
   * to Spark, so that a missing one is refused in our words.
   */
  def signature(spec: KernelSpec): Seq[ProcedureParameter] = {
    val (graphs, tables) = spec.inputs.partition(_.storedGraph)
    val inputs = tables.map(i => parameter(i.name, StringType, s"Table or view. ${i.doc}"))
    val own = spec.parameters.map(p => parameter(p.name, sqlType(p.kind), p.doc))
    val stored = graphs.map(i => parameter(i.name, StringType, i.doc))
    val name = Option.when(spec.makesGraph)(parameter("name", StringType, "Name of the graph; the same as result."))
    inputs ++ own ++ stored ++ Shared ++ name
  }

  /** The parameters that all kernels share. */
  lazy val Shared: Seq[ProcedureParameter] = Seq(
    parameter("engine", StringType, "native (default) or spark: Spark's own library on the same input."),
    parameter("ranks", LongType, s"Processes; default ${Conf.Ranks.key}."),
    parameter("threads", LongType, s"Threads of each rank; default ${Conf.Threads.key}."),
    parameter("timeout_s", DoubleType, s"Seconds that the whole call may take; default ${Conf.Timeout.key}."),
    parameter("result", StringType, "Name of the result table; default <kernel>_<number>.")
  )

  /** Errors: code 2 naming the parameter that is missing or out of its range. */
  def read(spec: KernelSpec, row: InternalRow): Arguments = of(spec, cells(signature(spec), row))

  /** The values of a row, by parameter. */
  def cells(signature: Seq[ProcedureParameter], row: InternalRow): Map[String, Option[Any]] =
    signature.zipWithIndex.map { case (p, i) => p.name -> cell(row, i, p.dataType) }.toMap

  /** The same from values by name. */
  def of(spec: KernelSpec, cells: Map[String, Option[Any]]): Arguments = {
    val inputs = spec.inputs.map(input =>
      input.name -> cells(input.name).asInstanceOf[Option[String]].filter(_.trim.nonEmpty)).toMap
    val graph = spec.inputs.find(_.storedGraph)
    spec.inputs.filter(_.required).filter(i =>
      inputs(i.name).isEmpty && !graph.exists(g => inputs(g.name).isDefined)).foreach { input =>
      SparkGapError.refuse(input.name, "the name of a table or view", "nothing",
        s"Do pass ${input.name} => 'name'" + graph.fold("")(g => s" or ${g.name} => 'name'"))
    }
    graph.filter(g => inputs(g.name).isDefined).foreach { g =>
      spec.inputs.filterNot(_.storedGraph).filter(i => inputs(i.name).isDefined).foreach(i =>
        SparkGapError.refuse(g.name, s"no ${i.name} beside it", "both", "Do leave one of them out"))
    }
    val parameters = spec.parameters.map(p =>
      p.name -> cells(p.name).map(ParameterCheck.checked(p, _)).getOrElse(ParameterCheck.fallback(p)))
    val engine = cells("engine").fold("native")(_.toString)
    if (!Engines.contains(engine))
      SparkGapError.refuse("engine", s"one of ${Engines.mkString(", ")}", s"'$engine'", "Choose another engine")
    Arguments(
      inputs,
      parameters.toMap,
      engine,
      atLeastOne("ranks", cells),
      atLeastOne("threads", cells),
      seconds(cells),
      cells.get("name").flatten.orElse(cells("result")).map(_.toString)
    )
  }

  private def sqlType(kind: String): DataType = kind match {
    case "bool" => BooleanType
    case "int" => LongType
    case "double" => DoubleType
    case "ids" | "columns" => ArrayType(StringType)
    case "choice" | "column" | "id" => StringType
    case other => throw new SparkGapException(SparkGapException.BUG, "kernel", "a known kind of parameter", other,
        "Do install sparkgap again")
  }

  def parameter(name: String, dataType: DataType, doc: String): ProcedureParameter =
    ProcedureParameter.in(name, dataType).comment(doc).build()

  private def cell(row: InternalRow, i: Int, dataType: DataType): Option[Any] =
    if (row.isNullAt(i)) None
    else Some(dataType match {
      case BooleanType => row.getBoolean(i)
      case LongType => row.getLong(i)
      case DoubleType => row.getDouble(i)
      case _: MapType =>
        val map = row.getMap(i)
        val values = map.valueArray().toObjectArray(StringType).map(v => if (v == null) null else v.toString)
        map.keyArray().toObjectArray(StringType).map(_.toString).zip(values).toMap
      case _: ArrayType =>
        row.getArray(i).toObjectArray(StringType).toSeq.map(id => if (id == null) null else id.toString).asJava
      case _ => row.getUTF8String(i).toString
    })

  /** Errors: code 2 for a number below 1. */
  def atLeastOne(name: String, cells: Map[String, Option[Any]]): Option[Long] = {
    val passed = cells(name).map(_.asInstanceOf[Long])
    passed.filter(n => n < 1 || n > Int.MaxValue).foreach(n =>
      SparkGapError.refuse(name, "a whole number of at least 1", n.toString, s"Choose another $name"))
    passed
  }

  /** timeout_s. Errors: code 2 where it is not above 0. */
  def seconds(cells: Map[String, Option[Any]]): Option[Double] = {
    val passed = cells("timeout_s").map(_.asInstanceOf[Double])
    passed.filterNot(s => s > 0 && s < 1e9).foreach(s =>
      SparkGapError.refuse("timeout_s", "a number above 0 [s]", s.toString, "Choose another timeout_s"))
    passed
  }
}
