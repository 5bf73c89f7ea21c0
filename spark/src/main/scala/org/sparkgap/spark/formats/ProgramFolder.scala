// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.formats

import java.io.IOException
import java.nio.channels.ClosedByInterruptException
import java.nio.file.{FileVisitResult, Files, Path, SimpleFileVisitor}
import java.nio.file.attribute.{BasicFileAttributes, PosixFilePermissions}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.sparkgap.store.{SparkGapException, StoreHome}

/**
 * The files of one run of a user's program on a host: its inputs in other formats than ours, the outputs that it makes.
 * They lie beside the job's folder in the home of this process, and so go with it however it ends.
 */
private[spark] final class ProgramFolder(home: StoreHome, job: String) {
  private val folder = home.jobs.resolve(s"$job-files")
  private val inputs = folder.resolve("inputs")
  private val outputs = folder.resolve("outputs")

  ProgramFolder.room(home) {
    Seq(folder, inputs, outputs).foreach(Files.createDirectory(_, ProgramFolder.Private))
  }

  def input(name: String, format: FileFormat): Path = inputs.resolve(name + format.suffix)

  /** Where an output is to be written; `asFolder`: to a folder, which is made. */
  def output(name: String, format: FileFormat, asFolder: Boolean): Path = ProgramFolder.room(home) {
    val place = outputs.resolve(name + format.suffix)
    if (asFolder) Files.createDirectory(place, ProgramFolder.Private) else place
  }

  /** Where an output goes that the program leaves in its working folder: under its own name there, for errors. */
  def left(name: String, file: String): Path =
    ProgramFolder.room(home)(Files.createDirectory(outputs.resolve(name), ProgramFolder.Private).resolve(
        Path.of(file).getFileName))

  /** Where "output" of the contract points for programs that have several. */
  def anyOutput: Path = outputs

  /** A folder of links to the segments of a table, in its order. */
  def link(name: String, segments: Seq[Path]): Path = ProgramFolder.room(home) {
    val place = Files.createDirectory(inputs.resolve(name), ProgramFolder.Private)
    segments.zipWithIndex.foreach { case (segment, i) =>
      Files.createSymbolicLink(place.resolve(f"part-$i%05d.arrow"), segment)
    }
    place
  }

  /** Removes all of it. Files that a dying rank adds meanwhile go with the home. */
  def delete(): Unit = ProgramFolder.delete(folder)
}

private[spark] object ProgramFolder {
  val Private = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"))

  /** If a program fails with less space left than this, the lack of space is taken as the cause. */
  private val FullBytes = 1L << 20

  /** Removes a folder with all that is in it, as far as the system lets it. */
  def delete(folder: Path): Unit =
    try {
      Files.walkFileTree(
        folder,
        new SimpleFileVisitor[Path] {
          override def visitFile(file: Path, attributes: BasicFileAttributes): FileVisitResult = {
            Files.deleteIfExists(file)
            FileVisitResult.CONTINUE
          }

          override def postVisitDirectory(directory: Path, e: IOException): FileVisitResult = {
            Files.deleteIfExists(directory)
            FileVisitResult.CONTINUE
          }
        }
      )
    } catch { case _: IOException => }

  /** Runs the body; an I/O error becomes code 4. `on` names the host if it is not the driver's. */
  def room[T](home: StoreHome, on: String = "")(body: => T): T =
    try body
    catch {
      case e: ClosedByInterruptException =>
        throw new SparkGapException(
          SparkGapException.LOST,
          SparkGapException.sentence("files of the program", "to be written and read to their end",
            "that the call was cancelled", "Do run it again"),
          e
        )
      case e: IOException =>
        val found = if (isFull(home)) s"${home.usableBytes} bytes free" else String.valueOf(e.getMessage)
        throw new SparkGapException(
          SparkGapException.NO_ROOM,
          SparkGapException.sentence(
            s"files of the program in ${home.store}$on",
            "room for its inputs and outputs",
            found,
            "Do drop tables, or choose a larger device with spark.sparkgap.store.dir"
          ),
          e
        )
    }

  def isFull(home: StoreHome): Boolean = home.usableBytes < FullBytes

  /** By name, without what begins with a dot. */
  def list(folder: Path): Seq[Path] =
    Using.resource(Files.list(folder))(_.iterator.asScala.toList).filterNot(
      _.getFileName.toString.startsWith(".")).sortBy(_.getFileName.toString)
}
