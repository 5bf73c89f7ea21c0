// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark

import org.apache.spark.SparkContext

/**
 * Where the ranks of a job run: on the driver's host where all executors are there, else where the segments are.
 *
 * @param rankHosts the host of each rank, those of one host side by side
 * @param threads of each rank
 */
private[spark] final case class Placement(rankHosts: Seq[String], threads: Int, here: Boolean) {
  def ranks: Int = rankHosts.length
}

private[spark] object Placement {
  /**
   * @param segmentHosts of the inputs' segments, in their order, which is that of the ranks: a stored graph counts on it
   *
   * Errors: code 2 for fewer ranks than hosts, 5 where segments lie on a host that has no executor any more.
   */
  def of(context: SparkContext, conf: Conf, arguments: Arguments, segmentHosts: Seq[String]): Placement =
    if (LocalHost.allHere && segmentHosts.forall(LocalHost.isHere)) {
      val ranks = arguments.ranks.getOrElse(conf.ranks).toInt
      Placement(Seq.fill(ranks)(LocalHost.name), threads(conf, arguments).getOrElse(math.max(1, SparkCores.onThisHost(context) / ranks)), here = true)
    } else {
      val everywhere = ClusterExecutors.all.map(_.host).distinct
      val asked = arguments.ranks.orElse(Some(conf.ranks).filter(_ > 1)).map(_.toInt)
      val hosts = if (segmentHosts.nonEmpty) segmentHosts.distinct else everywhere.take(asked.getOrElse(1))
      hosts.find(!everywhere.contains(_)).foreach { gone =>
        throw LocalHost.lost("launch", s"an executor on host $gone, where rows of the inputs are", s"executors on ${everywhere.mkString(", ")}", "Do make the table or graph again")
      }
      val ranks = asked.getOrElse(hosts.length)
      if (ranks < hosts.length) {
        Arguments.refuse("ranks", s"at least ${hosts.length}, the hosts that hold rows", ranks.toString, "Choose more ranks, or leave ranks out")
      }
      val onEach = hosts.indices.map(i => ranks / hosts.length + (if (i < ranks % hosts.length) 1 else 0))
      val cores = hosts.zip(onEach).map { case (host, n) => math.max(1, ClusterExecutors.on(host).map(_.cores).sum / n) }.min
      Placement(hosts.zip(onEach).flatMap { case (host, n) => Seq.fill(n)(host) }, threads(conf, arguments).getOrElse(cores), here = false)
    }

  private def threads(conf: Conf, arguments: Arguments): Option[Int] = arguments.threads.orElse(Some(conf.threads).filter(_ > 0)).map(_.toInt)
}
