// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.kernel

import scala.jdk.CollectionConverters._

import org.apache.spark.SparkContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.types.{StringType, StructType}
import org.sparkgap.spark.call.{KernelSpec, MemorySpec, MemoryUse}
import org.sparkgap.spark.columns.Types
import org.sparkgap.spark.job.{Placement, SparkPool}
import org.sparkgap.spark.table.{StorePartition, StoreReaderFactory, StoreScan}
import org.sparkgap.store.{GraphFiles, Manifest}
import org.sparkgap.topology.ProcessLimits

/**
 * What a job will take at its peak beyond its mapped inputs, all ranks together, its result among it: rather more than
 * it turns out to be. The figures are the kernel's own (KernelSpec.memory), for so many edges and vertices, or rows and
 * numbers of a model.
 */
private[spark] final class MemoryEstimate(context: SparkContext, spec: KernelSpec, inputs: Seq[KernelInput],
    parameters: Map[String, Any], place: Placement) {
  import MemoryEstimate._

  private val ranks = place.ranks
  private val threads = place.threads
  private val weighted = parameters.getOrElse("weight", null) != null
  private val arcsPerEdge = if (parameters.getOrElse("directed", true) == false) 2 else 1

  /** Bytes; 0 where the kernel does not say. */
  def of(manifests: Map[String, Manifest]): Long = spec.memory.fold(0L) { memory =>
    inputs.collectFirst { case GraphStored(input, _) => manifests(input.name) } match {
      case Some(graph) => stored(memory, graph)
      case None if spec.inputs.isEmpty =>
        rowsMade(memory).fold(0L)(rows => base(rows) + bytes(memory.run, Shape(rows, rows, 0, strings = false, 0)))
      case None if memory.model.nonEmpty => model(memory, manifests)
      case None => tables(memory, manifests)
    }
  }

  private def model(memory: MemorySpec, manifests: Map[String, Manifest]): Long =
    inputs.collectFirst { case TableInput(input, data) => (manifests(input.name), data) }.fold(0L) {
      case (table, data) =>
        val arcs = table.rows * times(memory)
        base(arcs) + bytes(memory.run,
          Shape(table.rows, arcs, new ModelSize(context, table, data.schema, parameters).numbers(memory.model),
            strings = false, 0))
    }

  private def tables(memory: MemorySpec, manifests: Map[String, Manifest]): Long = {
    val perRow = arcsPerEdge * times(memory)
    val columns = inputs.collect { case input: TableInput => (manifests(input.spec.name), ids(input)) }
    val edges = columns.headOption.fold(0L)(_._1.rows)
    val listed = columns.drop(1).map(_._1.rows).sum
    val strings = columns.exists(_._2.fields.exists(_.dataType == StringType))
    def size(distinct: Long, span: Option[Long], isKnown: Boolean, characters: Double): Long = {
      val arcs = edges * perRow
      // As DenseIds of the kernels decides.
      val widest = arcs + arcs / 4 + listed
      val shape = Shape(edges, arcs, distinct, strings, characters)
      val dense = if (strings) None else if (isKnown) span.filter(_ <= widest + 1) else Some(widest)
      val sparse = if (dense.isEmpty || !isKnown) bytes(memory.sparse, shape) else 0
      base(arcs) + Seq(dense.fold(0L)(places => bytes(memory.dense, shape.copy(vertices = places))), sparse,
        bytes(memory.run, shape)).max
    }
    // Each row has two new ids at most. Only where there may not be so much it is worth a look at all of them.
    val most = size(2 * edges + listed, None, isKnown = false, columns.map(_._1.bytes).sum.toDouble)
    if (most <= SmallBytes || columns.forall(_._2.isEmpty) || isPlenty(most)) most
    else {
      // Where they lie close together that says how many they are; else they are counted.
      val arcs = edges * perRow
      val close =
        if (strings) None else look(columns, Some(arcs + arcs / 4 + listed)).span.filter(_ <= arcs + arcs / 4 + listed)
      val sketch = if (close.isDefined) new IdSketch else look(columns, None)
      val distinct = math.min(2 * edges + listed, close.getOrElse(sketch.distinctAtMost))
      size(distinct, close.orElse(sketch.span), isKnown = true, distinct * sketch.meanBytes * LongerIds)
    }
  }

  /** Twice of it is free where the ranks run, and Spark, whose caches would make room for nothing, is not asked. */
  private def isPlenty(bytes: Long): Boolean =
    place.onDriversHost && !SparkPool.isOn && bytes <= ProcessLimits.read().availableMemoryBytes / 2

  /** The id columns of an input. */
  private def ids(input: TableInput): StructType = {
    val fixed = input.spec.columns.filter(_._2 == "id").map(_._1)
    val chosen = spec.parameters.filter(p =>
      p.kind == "column" && p.of == input.spec.name && p.accepts == "id" && parameters(p.name) != null).map(p =>
      parameters(p.name).toString)
    StructType((fixed ++ chosen).distinct.flatMap(name => input.data.schema.find(_.name.equalsIgnoreCase(name))))
  }

  /** With `widest` only their span, and no further than that. */
  private def look(columns: Seq[(Manifest, StructType)], widest: Option[Long]): IdSketch = {
    val sketches = for ((table, asked) <- columns; partitions = StoreScan.partitions(table, context.defaultParallelism)
      if partitions.nonEmpty) yield {
      val positions = asked.fieldNames.map(name => table.columns.asScala.indexWhere(_.name == name))
      val factory = new StoreReaderFactory(table, positions, asked, narrow = true)
      val tasks: RDD[StorePartition] = context.makeRDD(partitions.map(p => (p, p.preferredLocations.toSeq)))
      tasks.mapPartitions { mine =>
        val sketch = new IdSketch
        mine.foreach { partition =>
          val reader = factory.createColumnarReader(partition)
          val within = widest.getOrElse(0L)
          val spanOnly = widest.isDefined
          try {
            while ((!spanOnly || sketch.isWithin(within)) && reader.next()) positions.indices.foreach { i =>
              val (ids, rows) = (reader.get().column(i), reader.get().numRows)
              if (spanOnly) sketch.addToSpan(ids, rows) else sketch.add(ids, rows)
            }
          } finally {
            reader.close()
          }
        }
        Iterator(sketch)
      }.collect().reduce(_ merge _)
    }
    sketches.reduceOption(_ merge _).getOrElse(new IdSketch)
  }

  private def stored(memory: MemorySpec, table: Manifest): Long = {
    val graph = table.graph
    val strings = table.columns.asScala.find(_.name == "id").exists(c => Types.spark(c.`type`) == StringType)
    val shape = Shape(graph.edges, graph.edges * (if (graph.directed) 1 else 2), table.rows, strings,
      if (strings) table.bytes.toDouble else 0)
    base(shape.arcs) + bytes(memory.stored, shape, graph.weight != null) + copied(graph)
  }

  /** Arcs that lie in several files of a host are copied by ranks whose rows go over the end of one. */
  private def copied(graph: GraphFiles): Long =
    Seq(graph.in, graph.out).flatMap(_.asScala.groupBy(_.host).values).filter(_.length > 1).flatten.map(_.bytes).sum

  private def rowsMade(memory: MemorySpec): Option[Long] = {
    def number(name: String): Option[Double] = parameters.get(name).collect { case n: Number => n.doubleValue }
    for (factor <- number(memory.factor); exponent <- number(memory.exponent))
      yield (factor * math.pow(2, exponent)).toLong
  }

  private def times(memory: MemorySpec): Long = parameters.get(memory.times) match {
    case Some(n: Number) => n.longValue
    case Some(columns: java.util.Collection[_]) => columns.size
    case _ => 1
  }

  private def bytes(use: MemoryUse, shape: Shape, weights: Boolean = weighted): Long = {
    val perArc = use.arc + (if (weights) use.weight else 0) + (if (ranks > 1) use.sent else 0)
    val perVertex = use.vertex + use.copy * ranks + use.thread * ranks * threads
    val text =
      if (shape.strings) use.text * shape.edges + use.name * shape.vertices + use.character * shape.characters else 0
    (perArc * shape.arcs + perVertex * shape.vertices + text).toLong
  }

  /** What does not grow with the graph, or not beyond some size. */
  private def base(arcs: Long): Long =
    ranks * ((if (ranks > 1) MpiRankBytes else RankBytes) + threads * math.min(ThreadBytes, arcs * ThreadArcBytes))
}

private[spark] object MemoryEstimate {
  private final case class Shape(edges: Long, arcs: Long, vertices: Long, strings: Boolean, characters: Double)

  /** Up to here nobody looks at the ids. */
  private val SmallBytes = 64L << 20
  private val RankBytes = 12L << 20
  private val MpiRankBytes = 36L << 20

  /** A thread sorts a million arcs at a time. */
  private val ThreadBytes = 24L << 20
  private val ThreadArcBytes = 16L

  /** Ids that occur once may be longer than those that occur often. */
  private val LongerIds = 2
}
