// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark

import java.util.UUID

import scala.language.dynamics

import org.apache.spark.sql.{DataFrame, Row}
import org.sparkgap.spark.application.{SparkGap, SparkGapError}

/**
 * The kernels as methods of a DataFrame: `import org.sparkgap.spark.syntax._`, then `edges.sparkgap.pagerank(damping =
 * 0.85, max_iterations = 10)`.
 *
 * The methods are the procedures of the catalog, found by name when they are called; the DataFrame is the kernel's
 * first input.
 */
object syntax {
  implicit final class SparkGapFrame(private val data: DataFrame) extends AnyVal {
    def sparkgap: KernelMethods = new KernelMethods(data, "graph")
  }

  /**
   * The kernels of a family. Arguments go by name; other tables are given as DataFrames or by name, ids as a Seq, None
   * as null.
   */
  final class KernelMethods private[spark] (data: DataFrame, family: String) extends Dynamic {

    /** The result as a DataFrame. */
    def applyDynamicNamed(kernel: String)(arguments: (String, Any)*): DataFrame =
      data.sparkSession.table(call(kernel, arguments: _*).getAs[String]("table"))

    def applyDynamic(kernel: String)(): DataFrame = applyDynamicNamed(kernel)()

    /** The row of the call, with its phases and counts; `table` in it names the result. */
    def call(kernel: String, arguments: (String, Any)*): Row = {
      SparkGap.require(data.sparkSession)
      val views = scala.collection.mutable.ArrayBuffer.empty[String]
      def view(frame: DataFrame): String = {
        val name = s"sparkgap_${UUID.randomUUID.toString.replace("-", "")}"
        // Dropping a view uncaches what has its plan; this filter, optimised away, makes it another plan than the
        // caller's.
        frame.where("true").createOrReplaceTempView(name)
        views += name
        literal(name)
      }
      try {
        val named = arguments.map {
          case (name, frame: DataFrame @unchecked) => s"$name => ${view(frame)}"
          case (name, value) => s"$name => ${literal(value)}"
        }
        val sql = (view(data) +: named).mkString(s"CALL ${SparkGap.CatalogName}.$family.$kernel(", ", ", ")")
        data.sparkSession.sql(sql).head()
      } finally {
        views.foreach(data.sparkSession.catalog.dropTempView)
      }
    }

    private def literal(value: Any): String = value match {
      case null | None => "NULL"
      case Some(inner) => literal(inner)
      case text: String => "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
      case number @ (_: Int | _: Long | _: Short | _: Byte | _: Boolean) => number.toString
      case number: Double => s"double('$number')"
      case number: Float => s"double('$number')"
      case list: Iterable[_] => list.map(literal).mkString("array(", ", ", ")")
      case other => SparkGapError.refuse("argument", "a string, number, boolean, Seq or DataFrame",
          other.getClass.getSimpleName, "Do convert it")
    }
  }
}
