// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.peers.optspark

import java.util.{Map => JMap}

import scala.jdk.CollectionConverters._
import scala.reflect.ClassTag
import scala.util.Random

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.types.{DataType, DoubleType, LongType, StructField, StructType}
import org.apache.spark.sql.Row

/**
 * Graph algorithms as products of a matrix and a vector in Spark's tasks, by native code (M. Anderson et al., PVLDB
 * 10(8), 2017, section 5.2): the fastest design without leaving Spark. A step costs O(m / cores) of native work, and
 * moves 8 n bytes to each executor and as much back to the driver.
 */
object OptSpark {

  /** A table `id` and a value, and where the seconds went: `build_s` and those of the steps together. */
  private[peers] final case class Outcome(table: DataFrame, seconds: Map[String, Double]) {
    def named(view: String): JMap[String, Double] = {
      table.createOrReplaceTempView(view)
      seconds.asJava
    }
  }

  /** Of the view `edges` with columns `src` and `dst`; the result is a view too, and the answer seconds by part. */
  def pagerank(edges: String, iterations: Int, result: String): JMap[String, Double] =
    pagerank(SparkSession.active.table(edges), iterations).named(result)

  /** The same of shortest paths from a vertex. */
  def sssp(edges: String, source: Long, result: String): JMap[String, Double] =
    sssp(SparkSession.active.table(edges), source).named(result)

  private val Restart = 0.15

  /** GraphX's PageRank with a fixed number of steps: ranks sum up to the number of vertices. */
  private[peers] def pagerank(
      edges: DataFrame, iterations: Int): Outcome = solve(edges, "pagerank", DoubleType) { (matrix, parts) =>
    val n = matrix.size
    var ranks = Array.fill(n)(1.0)
    for (_ <- 0 until iterations) {
      val shares = parts.time("driver_s")(Array.tabulate(n)(v => ranks(v) / math.max(1, matrix.outDegrees(v))))
      val sums = matrix.times(shares, new Array[Double](n))(_.sums(_))
      ranks = parts.time("driver_s")(sums.map(Restart + (1 - Restart) * _))
    }
    val scale = n / ranks.sum
    ranks.map(_ * scale)
  }

  /** Least numbers of edges from a vertex, by Bellman's and Ford's relaxations of all edges; out of reach infinity. */
  private[peers] def sssp(
      edges: DataFrame, source: Long): Outcome = solve(edges, "distance", DoubleType) { (matrix, parts) =>
    val begin = java.util.Arrays.binarySearch(matrix.ids, source)
    require(begin >= 0, s"source: expected an id of the graph, found $source")
    var distances = Array.fill(matrix.size)(Int.MaxValue)
    distances(begin) = 0
    var changes = true
    while (changes) {
      val found = matrix.times(distances, new Array[Int](matrix.size))(_.nearest(_))
      parts.time("driver_s") {
        val nearer = Array.tabulate(found.length)(v => math.min(found(v), distances(v)))
        changes = !java.util.Arrays.equals(nearer, distances)
        distances = nearer
      }
    }
    distances.map(d => if (d == Int.MaxValue) Double.PositiveInfinity else d.toDouble)
  }

  private def solve[V: ClassTag](edges: DataFrame, column: String, kind: DataType)(
      body: (SparseMatrix, Parts) => Array[V]): Outcome = {
    val parts = new Parts
    val matrix = SparseMatrix.of(edges, parts)
    try {
      val values = body(matrix, parts)
      val context = edges.sparkSession.sparkContext
      val rows = context.parallelize(matrix.ids.indices.map(n => Row(matrix.ids(n), values(n))))
      val schema =
        StructType(Seq(StructField("id", LongType, nullable = false), StructField(column, kind, nullable = false)))
      Outcome(edges.sparkSession.createDataFrame(rows, schema), parts.all)
    } finally matrix.release()
  }

  /**
   * The least that such a design takes, whatever it computes: in each step a vector is broadcast and read in each task,
   * and each task sends one back.
   *
   * @param down
   *   doubles of the vector of each kind of step
   * @param up
   *   doubles that each task returns in it
   * @return
   *   seconds by part, of all iterations
   */
  def movesOnly(down: Array[Int], up: Array[Int], iterations: Int): JMap[String, Double] = {
    val (context, parts, random) = (SparkSession.active.sparkContext, new Parts, new Random(1))
    val slots = context.parallelize(0 until context.defaultParallelism, context.defaultParallelism).cache()
    slots.count()
    for (_ <- 0 until iterations; (vector, piece) <- down.zip(up)) {
      val x = Array.fill(vector)(random.nextDouble()) // which compression makes no smaller
      val shared = parts.time("prepare_s")(context.broadcast(x))
      parts.time("collect_s") {
        slots.map { _ =>
          require(shared.value.length == vector)
          new Array[Double](piece)
        }.collect()
      }
      parts.time("driver_s")(shared.destroy())
    }
    slots.unpersist()
    parts.all.asJava
  }
}
