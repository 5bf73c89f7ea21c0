// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark

import scala.jdk.CollectionConverters._

import org.apache.spark.SparkContext
import org.sparkgap.store.{GraphFiles, Manifest, SegmentInfo}

/**
 * Where the ranks of a job run: on the driver's host where all executors are there, else where the segments are.
 *
 * @param rankHosts the host of each rank, those of one host side by side
 * @param threads of each rank
 * @param fetching where there are fewer ranks than hosts that hold rows: hosts without ranks, each with the one that fetches its segments
 * @param apart whether ranks of a host are to be in NUMA nodes of their own, where they are bound
 */
private[spark] final case class Placement(rankHosts: Seq[String], threads: Int, here: Boolean, fetching: Map[String, String] = Map.empty, apart: Boolean = false) {
  def ranks: Int = rankHosts.length

  /** The table as the ranks find it; segments without rows say nothing but the types of columns, and are left where no rank is. */
  def brought(table: Manifest): Manifest =
    if (here) table
    else new Manifest(table.name, table.columns, on(table.segments.asScala).asJava, Option(table.graph).map(g =>
      new GraphFiles(g.directed, g.weight, g.edges, on(g.in.asScala).asJava, on(g.out.asScala).asJava)).orNull, table.published)

  /** What each host fetches before its ranks start. */
  def fetches(tables: Iterable[Manifest]): Map[String, Seq[BroughtSegments.Wanted]] =
    tables.toSeq.flatMap(table => table.segments.asScala ++ Option(table.graph).toSeq.flatMap(_.segments.asScala)).filter(s => fetching.contains(s.host))
      .distinctBy(s => (s.host, s.path)).groupMap(s => fetching(s.host))(BroughtSegments.wanted)

  private def on(segments: Iterable[SegmentInfo]): Seq[SegmentInfo] = segments.map(s => s.on(fetching.getOrElse(s.host, s.host))).filter(s => s.rows > 0 || rankHosts.contains(s.host)).toSeq
}

private[spark] object Placement {
  /**
   * With fewer ranks than hosts that hold rows, hosts that follow one another share a rank: a stored graph's ranks go by the order of its parts.
   *
   * @param segments of the inputs, in their order, which is that of the ranks
   *
   * Errors: code 5 where segments lie on a host that has no executor any more.
   */
  def of(context: SparkContext, conf: Conf, ranksAsked: Option[Long], threadsAsked: Option[Long], segments: Seq[SegmentInfo]): Placement = {
    val segmentHosts = segments.map(_.host)
    if (LocalHost.allHere && segmentHosts.forall(LocalHost.isHere)) {
      val ranks = ranksAsked.getOrElse(conf.ranks).toInt
      Placement(Seq.fill(ranks)(LocalHost.name), threads(conf, threadsAsked).getOrElse(math.max(1, SparkCores.onThisHost(context) / ranks)), here = true)
    } else {
      val everywhere = ClusterExecutors.all.map(_.host).distinct
      val asked = ranksAsked.orElse(Some(conf.ranks).filter(_ > 1)).map(_.toInt)
      val hosts = if (segmentHosts.nonEmpty) segmentHosts.distinct else everywhere.take(asked.getOrElse(1))
      hosts.find(!everywhere.contains(_)).foreach { gone =>
        throw LocalHost.lost("launch", s"an executor on host $gone, where rows of the inputs are", s"executors on ${everywhere.mkString(", ")}", "Do make the table or graph again")
      }
      val ranks = asked.getOrElse(hosts.length)
      val shared = shares(hosts, math.min(ranks, hosts.length))
      val bytes = segments.groupMapReduce(_.host)(_.bytes)(_ + _).withDefaultValue(0L)
      val used = shared.map(_.maxBy(bytes))
      spread(used, ranks, threads(conf, threadsAsked)).copy(fetching = shared.zip(used).flatMap { case (share, at) => share.filter(_ != at).map(_ -> at) }.toMap)
    }
  }

  /** Ranks that read whole files of their host, wherever they are: one on each host, those with most of the rows first, then the next on each. */
  def anywhere(conf: Conf, ranks: Int, threadsAsked: Option[Long], segments: Seq[SegmentInfo]): Placement = {
    val bytes = segments.groupMapReduce(_.host)(_.bytes)(_ + _).withDefaultValue(0L)
    spread(ClusterExecutors.all.map(_.host).distinct.sortBy(-bytes(_)).take(ranks), ranks, threads(conf, threadsAsked))
  }

  private def spread(hosts: Seq[String], ranks: Int, threads: Option[Int]): Placement = {
    val onEach = hosts.indices.map(i => ranks / hosts.length + (if (i < ranks % hosts.length) 1 else 0))
    val cores = hosts.zip(onEach).map { case (host, n) => math.max(1, ClusterExecutors.on(host).map(_.cores).sum / n) }.min
    Placement(hosts.zip(onEach).flatMap { case (host, n) => Seq.fill(n)(host) }, threads.getOrElse(cores), here = false)
  }

  /** Neighbours in `count` shares of nearly equal length. */
  def shares(hosts: Seq[String], count: Int): Seq[Seq[String]] = (0 until count).map(i => hosts.slice(i * hosts.length / count, (i + 1) * hosts.length / count))

  private def threads(conf: Conf, asked: Option[Long]): Option[Int] = asked.orElse(Some(conf.threads).filter(_ > 0)).map(_.toInt)
}
