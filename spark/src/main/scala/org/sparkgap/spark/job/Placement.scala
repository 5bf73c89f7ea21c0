// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.job

import scala.jdk.CollectionConverters._

import org.apache.spark.SparkContext
import org.sparkgap.spark.affinity.{ExecutorNodes, TaskAffinity}
import org.sparkgap.spark.application.{ClusterExecutors, Conf, LocalHost, RankCount, SparkCores}
import org.sparkgap.spark.segments.BroughtSegments
import org.sparkgap.store.{GraphFiles, Manifest, SegmentInfo}

/**
 * Where the ranks of a job run: on the driver's host if all executors are there, else where the segments are.
 *
 * @param rankHosts
 *   the host of each rank, those of one host side by side
 * @param threads
 *   of each rank
 * @param onDriversHost
 *   whether all ranks are on the driver's host, and so are all executors
 * @param fetching
 *   if there are fewer ranks than hosts that hold rows: each host without ranks, and the host that fetches its segments
 * @param apart
 *   whether pinned ranks of a host get NUMA nodes of their own
 */
private[spark] final case class Placement(rankHosts: Seq[String], threads: Int, onDriversHost: Boolean,
    fetching: Map[String, String] = Map.empty, apart: Boolean = false) {
  def ranks: Int = rankHosts.length

  /**
   * The table as the ranks find it. Segments without rows only tell the types of columns, and are not fetched.
   */
  def brought(table: Manifest): Manifest =
    if (onDriversHost) table
    else new Manifest(
      table.name,
      table.columns,
      on(table.segments.asScala).asJava,
      Option(table.graph).map(g =>
        new GraphFiles(g.directed, g.weight, g.edges, on(g.in.asScala).asJava, on(g.out.asScala).asJava)).orNull,
      table.published
    )

  /** Hosts whose ranks would find no segment of the table. */
  def lacking(table: Manifest): Set[String] =
    if (onDriversHost) Set.empty else rankHosts.toSet -- brought(table).segments.asScala.map(_.host)

  /** What each host fetches before its ranks start. */
  def fetches(tables: Iterable[Manifest]): Map[String, Seq[BroughtSegments.Wanted]] =
    tables.toSeq.flatMap(table =>
      table.segments.asScala ++ Option(table.graph).toSeq.flatMap(_.segments.asScala)).filter(s =>
      fetching.contains(s.host))
      .distinctBy(s => (s.host, s.path)).groupMap(s => fetching(s.host))(BroughtSegments.wanted)

  private def on(segments: Iterable[SegmentInfo]): Seq[SegmentInfo] = segments.map(s =>
    s.on(fetching.getOrElse(s.host, s.host))).filter(s => s.rows > 0 || rankHosts.contains(s.host)).toSeq
}

private[spark] object Placement {

  /**
   * With fewer ranks than hosts that hold rows, neighbouring hosts share a rank, because a stored graph's ranks follow
   * the order of its parts.
   *
   * @param segments
   *   of the inputs, in their order, which is that of the ranks
   *
   * Errors: code 5 if segments lie on a host that has lost its executors.
   */
  def of(context: SparkContext, conf: Conf, ranksAsked: Option[Long], threadsAsked: Option[Long],
      segments: Seq[SegmentInfo]): Placement = {
    val segmentHosts = segments.map(_.host)
    if (LocalHost().hasAllExecutors && segmentHosts.forall(LocalHost().is)) {
      onThisHost(context, conf, ranksAsked, threadsAsked, rowsOf(segments))
    } else {
      val everywhere = ClusterExecutors().all.map(_.host).distinct
      val count = wanted(conf, ranksAsked)
      val asked = ranksAsked.map(_.toInt).orElse(Some(count).collect { case RankCount.Number(n) if n > 1 => n })
      val hosts = if (segmentHosts.nonEmpty) segmentHosts.distinct
      else count match {
        case RankCount.Number(n) => everywhere.take(n)
        case _ => everywhere
      }
      hosts.find(!everywhere.contains(_)).foreach { gone =>
        throw LocalHost.lost("launch", s"an executor on host $gone, where rows of the inputs are",
          s"executors on ${everywhere.mkString(", ")}", "Do make the table or graph again")
      }
      val ranks = asked.getOrElse(hosts.length)
      val shared = shares(hosts, math.min(ranks, hosts.length))
      val bytes = segments.groupMapReduce(_.host)(_.bytes)(_ + _).withDefaultValue(0L)
      val used = shared.map(_.maxBy(bytes))
      def nodes(host: String): Int = math.min(ExecutorNodes().on(host), rowsOf(segments.filter(_.host == host)))
      val placed = if (count == RankCount.PerNode) inNodes(used, cores, nodes, threads(conf, threadsAsked))
      else spread(used, ranks, cores, threads(conf, threadsAsked))
      placed.copy(fetching = shared.zip(used).flatMap { case (share, at) => share.filter(_ != at).map(_ -> at) }.toMap)
    }
  }

  /** Ranks that the driver starts; more than `most` only if the caller or a setting names a number. */
  def onThisHost(context: SparkContext, conf: Conf, ranksAsked: Option[Long], threadsAsked: Option[Long],
      most: Int = Int.MaxValue): Placement = {
    val cores = SparkCores.onThisHost(context)
    val placed = wanted(conf, ranksAsked) match {
      case RankCount.Number(n) => spread(Seq(LocalHost.name), n, _ => cores, threads(conf, threadsAsked))
      case RankCount.PerHost => spread(Seq(LocalHost.name), 1, _ => cores, threads(conf, threadsAsked))
      case RankCount.PerNode =>
        inNodes(Seq(LocalHost.name), _ => cores, _ => math.min(TaskAffinity().nodes, most), threads(conf, threadsAsked))
    }
    placed.copy(onDriversHost = true)
  }

  /**
   * Ranks that read whole files, on any host: one on each host, those with most of the rows first, then the next on
   * each.
   */
  def anywhere(
      conf: Conf, ranksAsked: Option[Long], threadsAsked: Option[Long], segments: Seq[SegmentInfo]): Placement = {
    val bytes = segments.groupMapReduce(_.host)(_.bytes)(_ + _).withDefaultValue(0L)
    val hosts = ClusterExecutors().all.map(_.host).distinct.sortBy(-bytes(_))
    wanted(conf, ranksAsked) match {
      case RankCount.Number(n) => spread(hosts.take(n), n, cores, threads(conf, threadsAsked))
      case RankCount.PerHost => spread(hosts, hosts.length, cores, threads(conf, threadsAsked))
      case RankCount.PerNode => inNodes(hosts, cores, ExecutorNodes().on, threads(conf, threadsAsked))
    }
  }

  /** Spreads ranks evenly over hosts. */
  private def spread(hosts: Seq[String], ranks: Int, cores: String => Int, threads: Option[Int]): Placement =
    filled(hosts, hosts.indices.map(i => ranks / hosts.length + (if (i < ranks % hosts.length) 1 else 0)), cores,
      threads)

  /** A rank for each NUMA node, and at most one for each core. */
  def inNodes(hosts: Seq[String], cores: String => Int, nodes: String => Int, threads: Option[Int]): Placement =
    filled(hosts, hosts.map(host => math.max(1, math.min(nodes(host), cores(host)))), cores, threads).copy(apart = true)

  private def filled(hosts: Seq[String], onEach: Seq[Int], cores: String => Int, threads: Option[Int]): Placement = {
    val fewest = hosts.zip(onEach).map { case (host, n) => math.max(1, cores(host) / n) }.min
    Placement(hosts.zip(onEach).flatMap { case (host, n) => Seq.fill(n)(host) }, threads.getOrElse(fewest),
      onDriversHost = false)
  }

  /** The most ranks that can have rows; no limit without inputs. */
  private def rowsOf(segments: Seq[SegmentInfo]): Int =
    if (segments.isEmpty) Int.MaxValue else math.min(Int.MaxValue, segments.map(_.rows).sum).toInt

  private def cores(host: String): Int = ClusterExecutors().on(host).map(_.cores).sum

  private def wanted(conf: Conf, asked: Option[Long]): RankCount =
    asked.map(n => RankCount.Number(n.toInt)).getOrElse(conf.ranks)

  /** Neighbours in `count` shares of nearly equal length. */
  def shares(hosts: Seq[String], count: Int): Seq[Seq[String]] =
    (0 until count).map(i => hosts.slice(i * hosts.length / count, (i + 1) * hosts.length / count))

  private def threads(conf: Conf, asked: Option[Long]): Option[Int] =
    asked.orElse(Some(conf.threads).filter(_ > 0)).map(_.toInt)
}
