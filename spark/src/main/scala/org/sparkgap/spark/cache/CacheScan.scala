// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.cache

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.planning.PhysicalOperation
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}
import org.apache.spark.sql.execution.columnar.{InMemoryRelation, InMemoryTableScanExec}

/** The scan of a cached table, which says in `explain()` and in Spark's UI where that table is, and why. */
private[spark] final class CacheScan(attributes: Seq[Attribute], predicates: Seq[Expression],
    @transient relation: InMemoryRelation) extends InMemoryTableScanExec(attributes, predicates, relation) {
  override val nodeName: String = s"${CacheScan.plainName(relation)} (sparkgap: ${CacheScan.place(relation)})"

  // Else a rule that replaces Spark's own by this one would keep Spark's, as the same.
  override def equals(other: Any): Boolean = other.isInstanceOf[CacheScan] && super.equals(other)

  override def canEqual(other: Any): Boolean = other.isInstanceOf[CacheScan]

  override def hashCode: Int = super.hashCode
}

private[spark] object CacheScan {

  /** Spark's own. */
  private def plainName(relation: InMemoryRelation): String = {
    val cached = relation.cacheBuilder
    cached.tableName.fold("InMemoryTableScan")(_ => s"Scan ${cached.cachedName}")
  }

  private def place(relation: InMemoryRelation): String = relation.cacheBuilder.serializer match {
    case _: StoreCacheSerializer => StoreCacheSerializer.stranger(relation.output).fold("in the store") { column =>
        s"not in the store, which keeps no ${column.dataType.simpleString}: ${column.name}"
      }
    case other => s"not in the store, but with ${other.getClass.getSimpleName}"
  }
}

/** Spark's own plans for cached tables, with `CacheScan` for its scans. */
private[spark] final class CacheScanStrategy(session: SparkSession) extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case PhysicalOperation(_, _, _: InMemoryRelation) =>
      session.sessionState.planner.InMemoryScans(plan).map(_.transformUp {
        case scan: InMemoryTableScanExec => new CacheScan(scan.attributes, scan.predicates, scan.relation)
      })
    case _ => Nil
  }
}
