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
 * What Spark gets to see of the signature is what the CALL has given. A default of a parameter is parsed, analysed and
 * folded by Spark at every CALL, given or not: for the dozen parameters of a kernel that was a third of all planning.
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
