// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.affinity

import scala.util.control.NonFatal

import org.apache.spark.SparkEnv
import org.apache.spark.sql.types.{ArrayType, StringType, StructType}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.unsafe.types.UTF8String
import org.slf4j.LoggerFactory
import org.sparkgap.launch.RankCpus
import org.sparkgap.spark.application.Conf
import org.sparkgap.topology.{AffinityLevel, CpuDemand, CpuShare}

/** How the ranks of a job are pinned. `apart`: each rank of a host in another NUMA node. */
private[spark] final case class RankBinding(level: AffinityLevel, apart: Boolean)

/** Where a rank was pinned: its host, and its processors as the kernel lists them, null if it was not pinned. */
private[spark] final case class RankPlace(host: String, cpus: String)

private[spark] object RankPlace {
  val Schema: ArrayType =
    ArrayType(new StructType().add("host", StringType, nullable = false).add("cpus", StringType), containsNull = false)

  /** The places of all ranks in their order; empty if none was pinned. */
  def row(places: Seq[RankPlace]): GenericArrayData = new GenericArrayData(
    (if (places.exists(_.cpus != null)) places else Nil).map(place =>
      InternalRow(UTF8String.fromString(place.host), UTF8String.fromString(place.cpus))))
}

/**
 * The processors of the ranks that this process starts on its host, held until it is closed, if
 * `spark.sparkgap.launch.affinity` is set.
 *
 * If anything is missing for it, the ranks stay unpinned; no job fails.
 *
 * @param problem
 *   why the ranks stay unpinned although the setting is on, as a line for the log
 */
private[spark] final class RankClaim private (share: Option[CpuShare], ranks: Int, threads: Int,
    val problem: Option[String]) extends AutoCloseable {
  val cpus: RankCpus = share.fold(RankCpus.NONE)(claimed => new RankCpus(claimed.places, threads))

  /** The processors of each rank, null if it is not pinned. */
  def lists: Seq[String] = Seq.tabulate(ranks)(rank => if (share.isEmpty) null else cpus.of(rank).toList)

  override def close(): Unit = share.foreach(_.close())
}

private[spark] object RankClaim {
  val log = LoggerFactory.getLogger("sparkgap")

  /** @param what whose ranks they are, for messages */
  def of(binding: RankBinding, what: String, ranks: Int, threads: Int): RankClaim = {
    def none(problem: Option[String]) =
      new RankClaim(None, ranks, threads, problem.map(why => s"${why.stripSuffix(".")}. Its ranks stay unpinned."))
    if (binding.level == AffinityLevel.NONE) none(None)
    else
      try {
        val share = TaskAffinity().claim(Conf.of(SparkEnv.get.conf).lockDir,
          new CpuDemand(ranks, threads, binding.level, binding.apart))
        if (share.places.isEmpty) {
          share.close()
          none(Some(
              s"affinity of $what: expected processors for $ranks x $threads threads at level " +
                s"${binding.level.toString.toLowerCase}, found " +
                s"${Option(share.wasFree.toList).filter(_.nonEmpty).getOrElse("none")} free. Do ask for fewer, or " +
                "wait for other jobs to end"))
        } else {
          new RankClaim(Some(share), ranks, threads, None)
        }
      } catch {
        case e @ (NonFatal(_) | _: LinkageError) =>
          none(Some(s"affinity of $what: ${Option(e.getMessage).getOrElse(e.toString)}"))
      }
  }
}
