// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.cache

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.execution.adaptive.TableCacheQueryStageExec
import org.apache.spark.sql.execution.columnar.InMemoryTableScanExec
import org.apache.spark.sql.vectorized.ColumnarBatch

/**
 * Tables that are cached in the store are scanned by columns.
 *
 * A scan of a cached table offers rows as well as columns, and Spark takes the rows: each is copied out of its columns
 * before the generated code sees it. Columns reach into that code, so that it reads the values where they are mapped.
 */
private[spark] object CachedColumnsRule extends Rule[SparkPlan] {
  override def apply(plan: SparkPlan): SparkPlan = plan match {
    case columns: CachedColumnsExec => columns
    case scan if isOurs(scan) => CachedColumnsExec(scan)
    case other => other.mapChildren(apply)
  }

  private def isOurs(plan: SparkPlan): Boolean = plan match {
    case stage: TableCacheQueryStageExec => isOurs(stage.plan)
    case scan: InMemoryTableScanExec =>
      scan.supportsColumnar && scan.relation.cacheBuilder.serializer.isInstanceOf[
        StoreCacheSerializer] && StoreCacheSerializer.keeps(scan.relation.schema)
    case _ => false
  }
}

/** The scan of a cached table, by columns alone. */
private[spark] final case class CachedColumnsExec(child: SparkPlan) extends UnaryExecNode {
  override def output: Seq[Attribute] = child.output

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override def outputOrdering: Seq[SortOrder] = child.outputOrdering

  override def supportsColumnar: Boolean = true

  override def supportsRowBased: Boolean = false

  override def vectorTypes: Option[Seq[String]] = child.vectorTypes

  override protected def doExecuteColumnar(): RDD[ColumnarBatch] = child.executeColumnar()

  override protected def doExecute(): RDD[InternalRow] =
    throw new UnsupportedOperationException("rows: the scan is by columns")

  override protected def withNewChildInternal(newChild: SparkPlan): SparkPlan = copy(child = newChild)
}
