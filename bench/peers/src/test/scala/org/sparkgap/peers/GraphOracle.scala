// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.peers

import java.nio.charset.StandardCharsets.UTF_8
import java.util.Arrays

/**
 * What graph algorithms mean, word for word and slowly, on rows of edges between ids that may repeat or join a vertex
 * to itself.
 *
 * @tparam V
 *   Long, or String in the order of its UTF-8 bytes
 */
final class GraphOracle[V](rows: Seq[(V, V)], weights: Seq[Double], listed: Seq[V], directed: Boolean)(
    implicit order: Ordering[V]) {
  private val vertices: Seq[V] = (rows.flatMap { case (a, b) => Seq(a, b) } ++ listed).distinct
  private val arcs: Seq[(V, V, Double)] =
    rows.zip(weights).flatMap { case ((a, b), w) => if (directed) Seq((a, b, w)) else Seq((a, b, w), (b, a, w)) }
  private val simple: Set[(V, V)] = arcs.collect { case (a, b, _) if a != b => (a, b) }.toSet

  def bfs(source: V): Map[V, Option[Long]] = {
    var found = Map(source -> 0L)
    for (hops <- 1L to vertices.length.toLong) found ++= arcs.collect {
      case (a, b, _) if found.get(a).contains(hops - 1) && !found.contains(b) => b -> hops
    }
    vertices.map(v => v -> found.get(v)).toMap
  }

  def sssp(source: V): Map[V, Double] = {
    var distance = vertices.map(v => v -> (if (v == source) 0.0 else Double.PositiveInfinity)).toMap
    for (_ <- vertices; (a, b, w) <- arcs) distance += b -> math.min(distance(b), distance(a) + w)
    distance
  }

  def components: Map[V, V] = vertices.map { v =>
    var reached = Set(v)
    for (_ <- vertices) reached ++= rows.collect { case (a, b) if reached(a) || reached(b) => Seq(a, b) }.flatten
    v -> reached.min
  }.toMap

  /** Each vertex's most frequent labels around it, or its own where nothing is around it. */
  def mostFrequent(label: Map[V, V]): Map[V, Set[V]] = vertices.map { v =>
    val around = rows.collect { case (a, b) if a == v => label(b) } ++ rows.collect {
      case (a, b) if b == v => label(a)
    }
    val counts = around.groupBy(identity).map { case (l, many) => l -> many.length }
    v -> (if (counts.isEmpty) Set(label(v)) else counts.filter(_._2 == counts.values.max).keySet)
  }.toMap

  def own: Map[V, V] = vertices.map(v => v -> v).toMap

  def labelprop(iterations: Int): Map[V, V] =
    (1 to iterations).foldLeft(own)((label, _) => mostFrequent(label).map { case (v, labels) => v -> labels.min })

  def lcc: Map[V, Double] = vertices.map { v =>
    val around = vertices.filter(u => simple((u, v)) || simple((v, u)))
    val d = around.length
    v -> (if (d < 2) 0.0 else (for (a <- around; b <- around if simple((a, b))) yield 1).sum.toDouble / (d * (d - 1)))
  }.toMap

  /** Removes vertices with at most k neighbours left until none has, for k = 0, 1, ... */
  def kcore: Map[V, Long] = {
    def peel(k: Long, left: Set[V]): Map[V, Long] =
      if (left.isEmpty) Map.empty
      else {
        val few = left.filter(v => left.count(u => simple((u, v)) || simple((v, u))) <= k)
        if (few.isEmpty) peel(k + 1, left) else few.map(_ -> k).toMap ++ peel(k, left -- few)
      }
    peel(0, vertices.toSet)
  }

  def triangles: Map[V, Long] = {
    def joined(a: V, b: V) = simple((a, b)) || simple((b, a))
    vertices.map(v =>
      v -> vertices.filter(joined(v, _)).combinations(2).count(pair => joined(pair(0), pair(1))).toLong).toMap
  }
}

object GraphOracle {
  val Utf8: Ordering[String] = (a, b) => Arrays.compareUnsigned(a.getBytes(UTF_8), b.getBytes(UTF_8))
}
