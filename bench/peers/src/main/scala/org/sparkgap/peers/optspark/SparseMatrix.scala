// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.peers.optspark

import scala.reflect.ClassTag

import org.apache.spark.{Partitioner, SparkContext}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.DataFrame
import org.apache.spark.storage.StorageLevel

/**
 * The edges of a graph as a sparse matrix in Spark's partitions, with a row for each vertex and its predecessors as
 * columns. Vectors are the driver's: each product broadcasts one and collects the other, a piece from each task.
 *
 * @param ids
 *   of the vertices, ascending; a vertex's number is its place here
 * @param outDegrees
 *   by number
 */
private[optspark] final class SparseMatrix private (
    context: SparkContext, val ids: Array[Long], val outDegrees: Array[Int], blocks: RDD[CsrBlock], parts: Parts) {

  def size: Int = ids.length

  /** The product of `product`'s semiring; `into` gets its pieces. */
  def times[V: ClassTag](x: V, into: V)(product: (CsrBlock, V) => V): V = {
    val shared = parts.time("prepare_s")(context.broadcast(x))
    val begin = System.nanoTime()
    val pieces = blocks.map { block =>
      val begin = System.nanoTime()
      val vector = shared.value
      val read = System.nanoTime()
      (block.first, product(block, vector), (read - begin) / 1e9, (System.nanoTime() - read) / 1e9)
    }.collect()
    val seconds = (System.nanoTime() - begin) / 1e9
    val slowest = pieces.maxBy { case (_, _, read, spmv) => read + spmv }
    parts.add("read_s", slowest._3)
    parts.add("spmv_s", slowest._4)
    parts.add("collect_s", seconds - slowest._3 - slowest._4)
    parts.time("driver_s") {
      pieces.foreach { case (first, piece, _, _) =>
        System.arraycopy(piece, 0, into, first, java.lang.reflect.Array.getLength(piece))
      }
      shared.destroy()
    }
    into
  }

  def release(): Unit = blocks.unpersist(): Unit
}

private[optspark] object SparseMatrix {

  /** Of a table whose first two columns are the ids from where and to where, as `bigint`. */
  def of(edges: DataFrame, parts: Parts): SparseMatrix = parts.time("build_s") {
    val context = edges.sparkSession.sparkContext
    val pairs =
      edges.selectExpr("cast(src as bigint)", "cast(dst as bigint)").rdd.map(r => (r.getLong(0), r.getLong(1)))
    val ids = pairs.flatMap { case (src, dst) => Iterator(src, dst) }.distinct().collect().sorted
    val known = context.broadcast(ids)
    val numbered = pairs.mapPartitions { rows =>
      val sorted = known.value
      def number(id: Long): Int = java.util.Arrays.binarySearch(sorted, id)
      rows.map { case (src, dst) => (number(dst), number(src)) }
    }
    val ranges = new Ranges(ids.length, context.defaultParallelism)
    val blocks = numbered.partitionBy(ranges).mapPartitionsWithIndex((n, entries) =>
      Iterator(CsrBlock.of(ranges.begin(n), ranges.begin(n + 1) - ranges.begin(n), entries)))
    blocks.persist(StorageLevel.MEMORY_ONLY)
    val degrees = numbered.mapPartitions { entries =>
      val found = new Array[Int](known.value.length)
      entries.foreach { case (_, src) => found(src) += 1 }
      Iterator(found)
    }
    val outDegrees = new Array[Int](ids.length)
    degrees.toLocalIterator.foreach(found => for (n <- found.indices) outDegrees(n) += found(n))
    blocks.count()
    new SparseMatrix(context, ids, outDegrees, blocks, parts)
  }

  /** As many rows for each, but for one. */
  private final class Ranges(rows: Int, override val numPartitions: Int) extends Partitioner {
    def begin(partition: Int): Int = (rows.toLong * partition / numPartitions).toInt

    override def getPartition(key: Any): Int = {
      val row = key.asInstanceOf[Int]
      val about = (row.toLong * numPartitions / rows).toInt
      if (begin(about + 1) <= row) about + 1 else about
    }
  }
}
