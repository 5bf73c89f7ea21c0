// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.application

import java.nio.file.Path

import org.sparkgap.launch.CarriedPrograms

/** The folder of this host where the programs and the MPI of the jar are, if it carries any. Unpacked once. */
private[spark] final class CarriedKernels {
  private val carried = Option(CarriedPrograms.here)
  private var found = Map.empty[Seq[Path], Path]

  /** Errors: code 5 where none of the places takes them. */
  def in(places: Seq[Path]): Option[Path] = synchronized {
    carried.map { programs =>
      found.getOrElse(
        places, {
          val folder = programs.unpacked(java.util.List.of(places: _*))
          found += places -> folder
          folder
        })
    }
  }

  /** The place of a program in that folder, where it is one that was unpacked; else None. */
  def name(program: Path): Option[String] = synchronized(found.values.find(program.startsWith(_)).map(
    _.relativize(program).toString))
}

private[spark] object CarriedKernels extends ProcessPart(new CarriedKernels) {

  /** The MPI's launcher in it. */
  val Mpiexec = "mpi/bin/mpiexec"
}
