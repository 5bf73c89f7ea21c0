// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.call

import java.nio.file.{Files, Path}
import java.nio.file.attribute.FileTime

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.sparkgap.spark.application.DriverPart
import org.sparkgap.store.SparkGapException

/** The kernels of this installation. Their descriptions are read again when they change. */
private[spark] final class KernelSpecs {
  @volatile private var last: (Path, Map[Path, FileTime], Seq[KernelSpec]) = (null, Map.empty, Seq.empty)

  /** The kernels of a folder, by name. Errors: code 5 where a description cannot be read. */
  def all(dir: Path): Seq[KernelSpec] = {
    val files = Using.resource(Files.list(dir))(
      _.iterator.asScala.filter(_.getFileName.toString.matches("sparkgap-[a-z0-9]+\\.json")).toList.sorted)
    val times = files.map(f => f -> Files.getLastModifiedTime(f)).toMap
    val (lastDir, lastTimes, lastSpecs) = last
    if (lastDir == dir && lastTimes == times) {
      lastSpecs
    } else {
      val specs = files.map(read)
      last = (dir, times, specs)
      specs
    }
  }

  def find(dir: Path, family: String, name: String): Option[KernelSpec] =
    all(dir).find(spec => spec.family == family && spec.name == name)

  private def read(file: Path): KernelSpec =
    KernelSpec.parse(
      Files.readAllBytes(file),
      file.resolveSibling(file.getFileName.toString.stripSuffix(".json")),
      found =>
        new SparkGapException(SparkGapException.LOST, s"kernel ${file.getFileName}",
          "a description as sparkgap-<kernel> --describe gives it", found, "Do install sparkgap again")
    )
}

private[spark] object KernelSpecs extends DriverPart(new KernelSpecs)
