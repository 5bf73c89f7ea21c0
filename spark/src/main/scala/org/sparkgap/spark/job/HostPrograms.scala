// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.job

import java.nio.file.{Files, Path, Paths}

import org.apache.spark.SparkEnv
import org.sparkgap.launch.{Mpi, Program}
import org.sparkgap.spark.application.{CarriedKernels, Conf}
import org.sparkgap.store.SparkGapException

/**
 * A job's programs as the driver names them to all hosts. What the jar carries has a name that each host looks up in
 * its own folder; all else is a path.
 *
 * @param mpiexec
 *   null for a job of one rank
 */
private[spark] final case class HostPrograms(executable: String, guard: String, mpiexec: String) {
  import HostPrograms._

  /**
   * As they are on this host. Where sparkgap is not installed as on the driver's host, they are the jar's. Errors: code
   * 5 where the jar has none for this host, or they cannot be unpacked.
   */
  def here: HostPrograms = {
    def carried: Option[Path] = Conf.of(SparkEnv.get.conf).carried
    def ours(said: String, name: => String): String =
      if (said.startsWith(InJar)) carried.getOrElse(throw lacking).resolve(said.stripPrefix(InJar)).toString
      else if (Files.isExecutable(Paths.get(said))) said
      else carried.fold(said)(_.resolve(name).toString)
    val besideGuard = guard.stripSuffix(Program.GUARD)
    val isOurs = executable.startsWith(InJar) || executable == besideGuard + nameOf(executable)
    HostPrograms(
      if (isOurs) ours(executable, nameOf(executable)) else executable,
      ours(guard, Program.GUARD),
      Option(mpiexec).map(ours(_, CarriedKernels.Mpiexec)).orNull
    )
  }
}

private[spark] object HostPrograms {
  private val InJar = "jar:"

  /** In the driver. */
  def of(program: Program, mpi: Option[Mpi]): HostPrograms = {
    def said(path: Path): String = CarriedKernels().name(path).fold(path.toString)(InJar + _)
    HostPrograms(said(program.executable), said(program.guard), mpi.map(found => said(found.mpiexec)).orNull)
  }

  private def lacking = {
    val architecture = System.getProperty("os.arch")
    new SparkGapException(
      SparkGapException.LOST,
      "launch",
      s"programs for $architecture in the jar",
      "those of the driver's architecture alone",
      s"Attach a jar that was made for $architecture too, or install sparkgap on this host"
    )
  }

  private def nameOf(path: String): String = path.substring(path.lastIndexOf('/') + 1)
}
