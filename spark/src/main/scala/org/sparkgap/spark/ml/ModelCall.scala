// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.ml

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.types.DecimalType
import org.apache.spark.sql.functions.col
import org.slf4j.LoggerFactory
import org.sparkgap.spark.application.{Conf, SparkGap, SparkGapError}
import org.sparkgap.spark.call.{Arguments, KernelSpec, KernelSpecs}
import org.sparkgap.spark.kernel.{CallReport, KernelCall, KernelInput}
import org.sparkgap.spark.segments.Homes
import org.sparkgap.spark.table.StoreTable
import org.sparkgap.store.SparkGapException

/** One call of a kernel by an estimator of org.sparkgap.ml. */
private[sparkgap] object ModelCall {
  private val Family = "ml"
  private val log = LoggerFactory.getLogger("sparkgap")

  /**
   * Runs the kernel on this host's or the cluster's ranks; its rows are few and come to the driver.
   *
   * @param parameters
   *   by the names of the Spec and of what all kernels share; those that are left out, or None, are the defaults
   */
  def run(data: DataFrame, kernel: String, parameters: Map[String, Any]): (ModelRows, CallReport) =
    SparkGapError.translate {
      val session = data.sparkSession
      SparkGap.require(session)
      val spec = KernelSpecs().find(Conf.of(session).kernelDir, Family, kernel).getOrElse(
        throw new SparkGapException(SparkGapException.LOST, s"$Family.$kernel", "a program of that name", "none",
          "Do install sparkgap again"))
      val input = spec.inputs.head.name
      val absent: Map[String, Option[Any]] =
        (spec.inputs.map(_.name) ++ spec.parameters.map(_.name) ++ Arguments.Shared.map(_.name)).map(_ -> None).toMap
      val arguments = Arguments.of(spec, absent ++ passed(spec, parameters) + (input -> Some(input)))
      val report = new KernelCall(session, spec, arguments, Map(input -> inKnownTypes(spec, data, arguments))).run()
      val table = StoreTable.plain(report.table)
      try
        (ModelRows(ModelRows.columns(Homes().tables().get(table)), report.figures, report.iterations.fold(0)(_.toInt)),
          report.copy(table = ""))
      finally StoreTable.drop(table)
    }

  /**
   * What an estimator is asked for that its kernel does not do goes to Spark's own, or is refused: as the setting says.
   * Says which and why.
   */
  def instead[T](data: DataFrame, estimator: String, why: String)(sparks: => T): T =
    if (Conf.of(data.sparkSession).refusesUnsupported) {
      throw new SparkGapException(SparkGapException.ARGUMENTS, estimator, "what the native kernel does", why,
        s"Do change it, or set ${Conf.Unsupported.key}=spark for Spark's own")
    } else {
      log.warn(s"$estimator: fitted by Spark's own, not natively: $why.")
      sparks
    }

  private def passed(spec: KernelSpec, parameters: Map[String, Any]): Map[String, Option[Any]] =
    parameters.collect {
      case (name, value) if value != None =>
        val plain = value match { case Some(inner) => inner; case other => other }
        name -> Some(plain match {
          case n: Int => n.toLong
          case several: Seq[_] => several.asJava
          case other => other
        })
    }

  /** Decimals, which MLlib takes for labels and weights, as doubles. */
  private def inKnownTypes(spec: KernelSpec, data: DataFrame, arguments: Arguments): DataFrame =
    spec.parameters.filter(p => p.kind == "column" && p.accepts == "number").flatMap(p =>
      Option(arguments.parameters(p.name)).map(_.toString)).foldLeft(data) { (made, name) =>
      val isDecimal = made.schema.fields.exists(f => f.name == name && f.dataType.isInstanceOf[DecimalType])
      if (isDecimal) made.withColumn(name, col(KernelInput.quoted(name)).cast("double")) else made
    }
}
