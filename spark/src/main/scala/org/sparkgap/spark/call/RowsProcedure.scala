// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.call

import java.util.{Collections, Iterator => JIterator}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.connector.catalog.procedures.{BoundProcedure, ProcedureParameter, UnboundProcedure}
import org.apache.spark.sql.connector.read.{LocalScan, Scan}
import org.apache.spark.sql.types.StructType
import org.sparkgap.spark.application.SparkGapError

/**
 * A procedure that returns rows it has in memory. Any argument may be left out; the body finds null in its place.
 *
 * Spark sees only the parameters that the CALL gives. It would parse, analyse and fold the default of every other one
 * at each CALL: for the dozen parameters of a kernel that took a third of the planning.
 */
private[spark] final class RowsProcedure(override val name: String, override val description: String,
    signature: Seq[ProcedureParameter], schema: StructType)(
    body: InternalRow => Seq[InternalRow]) extends UnboundProcedure {

  override def bind(arguments: StructType): BoundProcedure = new Bound(ArgumentTypes.passed(name, signature, arguments))

  private final class Bound(passed: Seq[Int]) extends BoundProcedure {
    override def name(): String = RowsProcedure.this.name

    override def description(): String = RowsProcedure.this.description

    override def parameters(): Array[ProcedureParameter] = passed.map(signature(_)).toArray

    override def isDeterministic: Boolean = false

    override def call(arguments: InternalRow): JIterator[Scan] = {
      val all = new GenericInternalRow(signature.length)
      for ((position, i) <- passed.zipWithIndex) all(position) = arguments.get(i, signature(position).dataType)
      val result = SparkGapError.translate(body(all)).toArray
      Collections.singletonList[Scan](new LocalScan {
        override def rows(): Array[InternalRow] = result
        override def readSchema(): StructType = schema
      }).iterator
    }
  }
}
