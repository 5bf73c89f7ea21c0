// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.table

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.optimizer.ConvertToLocalRelation
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, LogicalPlan, Project}
import org.apache.spark.sql.connector.expressions.aggregate.{Aggregation, CountStar}
import org.apache.spark.sql.connector.read.LocalScan
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.apache.spark.sql.types.{LongType, StructField, StructType}
import org.sparkgap.store.Manifest

/** count(*) of a whole table, as often as it is asked for: the manifest knows it, and no segment is read. */
private[spark] final case class StoreCount(manifest: Manifest, times: Int) extends LocalScan {
  override def readSchema(): StructType =
    StructType((0 until times).map(i => StructField(s"count$i", LongType, nullable = false)))

  override def description(): String = s"${StoreTable.qualified(manifest)} count(*)"

  override def rows(): Array[InternalRow] = Array(InternalRow.fromSeq(Seq.fill(times)(manifest.rows)))
}

private[spark] object StoreCount {

  /** How many counts of all rows the aggregation has, if it has nothing else. */
  def asked(aggregation: Aggregation): Option[Int] = {
    val wanted = aggregation.aggregateExpressions
    if (aggregation.groupByExpressions.isEmpty && wanted.nonEmpty && wanted.forall(_.isInstanceOf[CountStar]))
      Some(wanted.length)
    else None
  }
}

/**
 * The count is the plan's own rows: Spark would start a job to name it, which is most of what a count takes. Spark's
 * own plans, tested on 4.3.
 */
private[spark] object StoreCountStrategy extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case Project(named, relation: DataSourceV2ScanRelation) =>
      relation.scan match {
        case count: StoreCount =>
          Seq(planLater(ConvertToLocalRelation(Project(named, LocalRelation(relation.output, count.rows().toSeq)))))
        case _ => Nil
      }
    case _ => Nil
  }
}
