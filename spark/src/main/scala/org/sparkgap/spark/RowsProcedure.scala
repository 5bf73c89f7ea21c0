// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark

import java.util.{Collections, Iterator => JIterator}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.procedures.{BoundProcedure, ProcedureParameter, UnboundProcedure}
import org.apache.spark.sql.connector.read.{LocalScan, Scan}
import org.apache.spark.sql.types.StructType

/** A procedure that returns rows it has in memory. */
private[spark] final class RowsProcedure(override val name: String, override val description: String, signature: Seq[ProcedureParameter], schema: StructType)(
    body: InternalRow => Seq[InternalRow]) extends UnboundProcedure with BoundProcedure {

  override def bind(arguments: StructType): BoundProcedure = {
    ArgumentTypes.check(name, signature, arguments)
    this
  }

  override def parameters(): Array[ProcedureParameter] = signature.toArray

  override def isDeterministic: Boolean = false

  override def call(arguments: InternalRow): JIterator[Scan] = {
    val result = SparkGapError.translate(body(arguments)).toArray
    Collections.singletonList[Scan](new LocalScan {
      override def rows(): Array[InternalRow] = result
      override def readSchema(): StructType = schema
    }).iterator
  }
}
