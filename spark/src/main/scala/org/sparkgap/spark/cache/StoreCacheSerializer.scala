// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.cache

import scala.jdk.CollectionConverters._

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, UnsafeProjection}
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.columnar.{CachedBatch, SimpleMetricsCachedBatchSerializer}
import org.apache.spark.sql.execution.columnar.DefaultCachedBatchSerializer
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnarBatch
import org.apache.spark.storage.StorageLevel
import org.slf4j.LoggerFactory
import org.sparkgap.spark.application.SaidOnce
import org.sparkgap.spark.columns.Types

/**
 * `df.cache()` in the store (`spark.sql.cache.serializer`): a partition becomes segments outside the heap, Spark keeps
 * handles on their batches.
 *
 * One serializer serves all tables of a JVM, so a schema with a type that the store does not keep is handed to Spark's
 * own, with one line in the log. The schema alone decides between the two, for reader and writer alike.
 */
class StoreCacheSerializer extends SimpleMetricsCachedBatchSerializer {
  import StoreCacheSerializer._

  /**
   * False for vectors and other user-defined types: Spark makes the columns itself for plans with a shuffle, and cannot
   * make them of such types.
   */
  override def supportsColumnarInput(schema: Seq[Attribute]): Boolean = {
    val whole = DataTypeUtils.fromAttributes(schema)
    if (keeps(whole)) Types.bare(whole) == whole else default.supportsColumnarInput(schema)
  }

  override def convertInternalRowToCachedBatch(input: RDD[InternalRow], schema: Seq[Attribute], level: StorageLevel,
      conf: SQLConf): RDD[CachedBatch] =
    if (keepsOrSays(schema)) CacheWriteRDD(input, new CachedRows(kept(schema)), level, conf)
    else default.convertInternalRowToCachedBatch(input, schema, level, conf)

  override def convertColumnarBatchToCachedBatch(input: RDD[ColumnarBatch], schema: Seq[Attribute], level: StorageLevel,
      conf: SQLConf): RDD[CachedBatch] =
    if (keepsOrSays(schema)) CacheWriteRDD(input, new CachedColumns(kept(schema)), level, conf)
    else default.convertColumnarBatchToCachedBatch(input, schema, level, conf)

  override def supportsColumnarOutput(schema: StructType): Boolean =
    keeps(schema) || default.supportsColumnarOutput(schema)

  /** Vectors over mapped memory are of several classes; None lets generated code take any. */
  override def vectorTypes(attributes: Seq[Attribute], conf: SQLConf): Option[Seq[String]] =
    if (keeps(DataTypeUtils.fromAttributes(attributes))) None else default.vectorTypes(attributes, conf)

  /**
   * By the least and greatest value of each batch. A partition that had no room has one handle without these, which
   * stays.
   */
  override def buildFilter(
      predicates: Seq[Expression], cached: Seq[Attribute]): (Int, Iterator[CachedBatch]) => Iterator[CachedBatch] = {
    val byStatistics = super.buildFilter(predicates, cached)
    (partition, batches) => {
      val ahead = batches.buffered
      if (ahead.headOption.exists(_.isInstanceOf[AbsentPartition])) ahead else byStatistics(partition, ahead)
    }
  }

  override def convertCachedBatchToColumnarBatch(input: RDD[CachedBatch], cached: Seq[Attribute],
      selected: Seq[Attribute], conf: SQLConf): RDD[ColumnarBatch] =
    if (!keeps(DataTypeUtils.fromAttributes(cached)))
      default.convertCachedBatchToColumnarBatch(input, cached, selected, conf)
    else
      CacheReadRDD(input, selected.map(wanted => cached.indexWhere(_.exprId == wanted.exprId)).toArray, kept(selected))

  override def convertCachedBatchToInternalRow(input: RDD[CachedBatch], cached: Seq[Attribute],
      selected: Seq[Attribute], conf: SQLConf): RDD[InternalRow] =
    if (!keeps(DataTypeUtils.fromAttributes(cached))) {
      default.convertCachedBatchToInternalRow(input, cached, selected, conf)
    } else {
      val schema = kept(selected)
      convertCachedBatchToColumnarBatch(input, cached, selected, conf).mapPartitions { batches =>
        val toRow = UnsafeProjection.create(schema)
        batches.flatMap(_.rowIterator.asScala).map(toRow)
      }
    }
}

private[spark] object StoreCacheSerializer {
  private val log = LoggerFactory.getLogger("sparkgap")
  private val default = new DefaultCachedBatchSerializer

  def keeps(schema: StructType): Boolean = Types.bare(schema).forall(field => Types.find(field.dataType).isDefined)

  /**
   * With each user-defined type, such as a vector, replaced by the type it is stored as. Spark has the schema and reads
   * it as the user's.
   */
  private def kept(schema: Seq[Attribute]): StructType = Types.bare(DataTypeUtils.fromAttributes(schema))

  /** A column that the store does not keep. */
  def stranger(schema: Seq[Attribute]): Option[Attribute] =
    schema.find(attribute => Types.find(Types.bare(attribute.dataType)).isEmpty)

  private def keepsOrSays(schema: Seq[Attribute]): Boolean = {
    val found = stranger(schema)
    found.foreach { attribute =>
      val text =
        s"cache: expected types that the store keeps, found ${attribute.name} of type " +
          s"${attribute.dataType.simpleString}. Spark's own cache keeps this table."
      if (SaidOnce().first(text)) log.info(text)
    }
    found.isEmpty
  }
}
