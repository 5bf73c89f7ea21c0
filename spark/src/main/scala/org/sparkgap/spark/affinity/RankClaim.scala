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

/** How the ranks of a job are bound. `apart`: each of a host in another NUMA node. */
private[spark] final case class RankBinding(level: AffinityLevel, apart: Boolean)

/** Where a rank was bound: its host, and processors as the kernel lists them, null where it ran on all. */
private[spark] final case class RankPlace(host: String, cpus: String)

private[spark] object RankPlace {
  val Schema: ArrayType =
    ArrayType(new StructType().add("host", StringType, nullable = false).add("cpus", StringType), containsNull = false)

  /** Of all ranks in their order; nothing where none was bound. */
  def row(places: Seq[RankPlace]): GenericArrayData = new GenericArrayData(
    (if (places.exists(_.cpus != null)) places else Nil).map(place =>
      InternalRow(UTF8String.fromString(place.host), UTF8String.fromString(place.cpus))))
}

/**
 * The processors of the ranks that this process starts on its host, until it is closed, where
 * `spark.sparkgap.launch.affinity` wants some.
 *
 * Whatever is missing for it leaves the ranks unpinned; no job fails by it.
 *
 * @param problem
 *   why there are none though some were wanted, as a line for the log
 */
private[spark] final class RankClaim private (share: Option[CpuShare], ranks: Int, threads: Int,
    val problem: Option[String]) extends AutoCloseable {
  val cpus: RankCpus = share.fold(RankCpus.NONE)(claimed => new RankCpus(claimed.places, threads))

  /** Of each rank, null where it is not bound. */
  def lists: Seq[String] = Seq.tabulate(ranks)(rank => if (share.isEmpty) null else cpus.of(rank).toList)

  override def close(): Unit = share.foreach(_.close())
}

private[spark] object RankClaim {
  val log = LoggerFactory.getLogger("org.sparkgap")

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
