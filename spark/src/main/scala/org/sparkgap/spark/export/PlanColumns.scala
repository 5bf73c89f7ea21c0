// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.export

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, AttributeReference, NamedExpression}
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.classic.Dataset
import org.apache.spark.sql.columnar.CachedBatch
import org.apache.spark.sql.execution.{
  ColumnarToRowExec,
  InputAdapter,
  ProjectExec,
  SQLExecution,
  SparkPlan,
  WholeStageCodegenExec
}
import org.apache.spark.sql.execution.adaptive.{AdaptiveSparkPlanExec, TableCacheQueryStageExec}
import org.apache.spark.sql.execution.columnar.{DefaultCachedBatchSerializer, InMemoryTableScanExec}
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnarBatch
import org.sparkgap.spark.cache.{CachedColumnsExec, StoreCacheSerializer}
import org.sparkgap.spark.table.{ResultLineage, StoreScan}
import org.sparkgap.store.Manifest

/**
 * The cheapest form in which a query's result is available: a table that exists already, columns (cached or in
 * batches), or rows.
 *
 * Spark has no public call that gives a result as column batches, so this file looks into the physical plan (Spark's
 * own classes, no promise of stability; tested on 4.3): scans and cached tables are columnar, and Spark puts a
 * conversion to rows on top of them, which is taken off here.
 */
private[spark] sealed trait PlanColumns

private[spark] object PlanColumns {

  /** The result is all rows of this table and some of its columns under their own names. */
  final case class Stored(manifest: Manifest) extends PlanColumns

  /**
   * The result is all rows of a table that is cached in the store and some of its columns under their own names;
   * otherwise by `batches`.
   */
  final case class CachedStored(handles: RDD[CachedBatch], schema: StructType, batches: Batches) extends PlanColumns

  /**
   * Column i of the result is column `positions(i)` of a table in Spark's default cache; their types are the schema's.
   */
  final case class Cached(rdd: RDD[CachedBatch], schema: StructType, positions: Array[Int]) extends PlanColumns

  /** Column i of the result is column `ordinals(i)` of the batches. */
  final case class Batches(rdd: RDD[ColumnarBatch], ordinals: Array[Int]) extends PlanColumns
  final case class Rows(rdd: RDD[InternalRow]) extends PlanColumns

  /** Plans the query, hands its result to the body and shows both as one query in Spark's user interface. */
  def use[T](data: DataFrame, description: String)(body: PlanColumns => T): T = {
    val query = data.asInstanceOf[Dataset[_]].queryExecution
    SQLExecution.withNewExecutionId(query, Some(description))(body(of(query.executedPlan)))
  }

  private def of(executed: SparkPlan): PlanColumns = {
    val top = bare(executed)
    val renamed = top match {
      case project: ProjectExec if project.projectList.forall(reference(_).isDefined) =>
        val below = bare(project.child)
        ordinals(project.projectList.flatMap(reference), below).map((below, _))
      case other => Some((other, Array.range(0, other.output.length)))
    }
    renamed match {
      case Some((scan: BatchScanExec, ordinals)) if isStored(scan, ordinals, executed.output) =>
        Stored(ResultLineage().whole(scan.scan.asInstanceOf[StoreScan].manifest))
      case Some((cached: InMemoryTableScanExec, ordinals)) if hasColumns(cached) =>
        columns(cached, ordinals, executed.output)
      case Some((columnar, ordinals)) if columnar.supportsColumnar => Batches(columnar.executeColumnar(), ordinals)
      case _ => Rows(executed.execute())
    }
  }

  /** The plan without what only turns columns into rows or drives its execution. */
  private def bare(plan: SparkPlan): SparkPlan = plan match {
    case adaptive: AdaptiveSparkPlanExec => bare(adaptive.finalPhysicalPlan)
    case codegen: WholeStageCodegenExec => bare(codegen.child)
    case toRow: ColumnarToRowExec => bare(toRow.child)
    case input: InputAdapter => bare(input.child)
    case stage: TableCacheQueryStageExec => bare(stage.plan)
    case columns: CachedColumnsExec => bare(columns.child)
    case other => other
  }

  /**
   * Spark reads a cached table by columns only where all of its columns could be read so; we ask for the columns of the
   * query alone.
   */
  private def hasColumns(cached: InMemoryTableScanExec): Boolean =
    cached.predicates.isEmpty && cached.relation.cacheBuilder.serializer.supportsColumnarOutput(
      DataTypeUtils.fromAttributes(cached.attributes))

  private def columns(cached: InMemoryTableScanExec, ordinals: Array[Int], output: Seq[Attribute]): PlanColumns = {
    val builder = cached.relation.cacheBuilder
    def batches = Batches(builder.serializer.convertCachedBatchToColumnarBatch(builder.cachedColumnBuffers,
        cached.relation.output, cached.attributes, cached.conf), ordinals)
    val schema = DataTypeUtils.fromAttributes(cached.relation.output)
    if (builder.serializer.isInstanceOf[StoreCacheSerializer] && StoreCacheSerializer.keeps(schema)) {
      val inPlace = ownNames(ordinals, cached.attributes, output) && schema.fieldNames.distinct.length == schema.length
      if (inPlace) CachedStored(builder.cachedColumnBuffers, schema, batches) else batches
    } else if (builder.serializer.getClass == classOf[DefaultCachedBatchSerializer]) {
      val asked = ordinals.map(cached.attributes(_)).toSeq
      val positions = asked.map(attribute => cached.relation.output.indexWhere(_.exprId == attribute.exprId)).toArray
      Cached(builder.cachedColumnBuffers, DataTypeUtils.fromAttributes(asked), positions)
    } else {
      batches
    }
  }

  private def reference(expression: NamedExpression): Option[Attribute] = expression match {
    case attribute: AttributeReference => Some(attribute)
    case Alias(attribute: AttributeReference, _) => Some(attribute)
    case _ => None
  }

  private def ordinals(attributes: Seq[Attribute], plan: SparkPlan): Option[Array[Int]] = {
    val positions = plan.output.map(_.exprId).zipWithIndex.toMap
    val found = attributes.flatMap(attribute => positions.get(attribute.exprId))
    if (found.length == attributes.length) Some(found.toArray) else None
  }

  private def isStored(scan: BatchScanExec, ordinals: Array[Int], output: Seq[Attribute]): Boolean =
    scan.scan.isInstanceOf[StoreScan] && scan.runtimeFilters.isEmpty && ownNames(ordinals, scan.output, output)

  /** Whether the result is columns of a table, each once and under its own name. */
  private def ownNames(ordinals: Array[Int], table: Seq[Attribute], output: Seq[Attribute]): Boolean =
    ordinals.distinct.length == ordinals.length && ordinals.indices.forall(i =>
      output(i).name == table(ordinals(i)).name)
}
