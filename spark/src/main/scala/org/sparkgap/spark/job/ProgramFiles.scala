// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.job

import java.nio.file.{Files, Path, Paths}
import java.util.{LinkedHashMap, List => JList}

import scala.collection.mutable.ArrayBuffer
import scala.jdk.CollectionConverters._
import scala.util.{Failure, Success, Try, Using}

import org.sparkgap.launch.{Invocation, LeftFile}
import org.sparkgap.spark.application.{LocalHost, SparkGapError}
import org.sparkgap.spark.columns.Types
import org.sparkgap.spark.formats.{ArgumentTemplate, FileFormat, FileParse, FileRender, ProgramFolder}
import org.sparkgap.spark.segments.{Homes, LocalSegments, RemoteSegments}
import org.sparkgap.spark.table.TableRows
import org.sparkgap.store.{Column, Manifest, SegmentWriter, SparkGapException}

/**
 * A user's program's files on one host, in the home of the host's agent. Inputs are complete, as on a shared file
 * system. Outputs become segments on the host where they were written.
 *
 * Not thread-safe. Closing it removes its files, except for segments of outputs that were `kept`.
 */
private[spark] final class ProgramFiles(program: ProgramPlan, host: String, driver: ToDriver) extends AutoCloseable {
  import program.key

  private val home = Homes().current()
  private val files = new ProgramFolder(home, key)

  /** Where the ranks run. */
  private val work = home.jobs.resolve(key)
  private val holds = ArrayBuffer.empty[RemoteSegments.Hold]
  private val folders = ArgumentTemplate.folders(program.arguments)
  private val outputs: Map[String, Path] = program.outputs.map { output =>
    output.name -> (if (output.format == FileFormat.Arrow) home.segments(output.folder(host))
                    else output.file.fold(files.output(output.name, output.format, folders(s"outputs.${output.name}")))(
                      files.left(output.name, _)))
  }.toMap
  private val left = program.outputs.flatMap(output =>
    output.file.map(new LeftFile(s"outputs.${label(output)}", _, outputs(output.name))))
  private var inputs = Map.empty[String, Path]
  private val figures = new ProgramFigures
  private var isKept = false

  /** The directory for "output" of the contract. */
  def anyOutput: Path = files.anyOutput

  /**
   * Makes the inputs. Errors: code 2 if the program is missing on this host, 3 for a value that a format cannot hold or
   * a segment that cannot be fetched, 4 without room.
   *
   * @return
   *   the local paths of fetched segments, by the paths that job.json gives them
   */
  def prepare(): Map[String, String] = {
    requireProgram()
    val named = ArgumentTemplate.named(program.arguments)
    program.inputs.flatMap { input =>
      val place = s"inputs.${input.name}"
      if (input.format != FileFormat.Arrow) {
        inputs += place -> render(input)
        Nil
      } else {
        val made = if (input.lacking(host)) Seq(ProgramPlan.empty(input.name) -> empty(input).toString) else Nil
        if (named(place)) {
          val here = local(input)
          inputs += place -> files.link(input.name, here)
          made ++ input.segments.map(_.path).zip(here.map(_.toString))
        } else {
          inputs += place -> files.anyOutput // no argument names it
          made
        }
      }
    }.toMap
  }

  /** How the program is run here, once its inputs are made. */
  def invocation: Invocation = {
    val said = new LinkedHashMap[String, Invocation.Output]
    program.outputs.filter(_.format == FileFormat.Arrow).foreach(output =>
      said.put(output.name, new Invocation.Output(outputs(output.name), columns(output).asJava)))
    val written = program.outputs.map(output =>
      s"outputs.${output.name}" -> output.file.fold(outputs(output.name))(work.resolve(_)))
    val places = program.places ++ (inputs ++ written + ("job" -> work)).map { case (name, path) =>
      name -> path.toString
    }
    def arguments(rank: Int): JList[String] =
      ArgumentTemplate.fill(program.arguments, places + ("rank" -> rank.toString)).asJava
    new Invocation(arguments(_), program.environment.asJava, said, null)
  }

  /**
   * The files that the ranks of this host have written, as segments in its home. A wrong file is reported, not thrown,
   * because another host's file of that name may count instead.
   */
  def take(): ProgramPlan.Taken = {
    val taken = figures.timed("parse_s")(
      program.outputs.flatMap(output => if (output.format == FileFormat.Arrow) adopted(output) else parsed(output)))
    def seconds(phase: String): Double = figures.phases.getOrElse(phase, 0.0)
    ProgramPlan.Taken(taken, seconds("fetch_s"), seconds("render_s"), seconds("parse_s"), figures.bytesCopied)
  }

  /** Keeps the segments of outputs. */
  def keep(): Unit = isKept = true

  override def close(): Unit = {
    holds.foreach(_.close())
    files.delete()
    program.outputs.map(output => home.path.resolve("segments").resolve(output.folder(host))).filter(folder =>
      !isKept || LocalSegments.list(folder).isEmpty).foreach(ProgramFolder.delete)
  }

  private def requireProgram(): Unit = {
    val path = Paths.get(program.executable)
    if (!Files.isRegularFile(path) || !Files.isExecutable(path)) {
      SparkGapError.refuse(
        "program",
        s"a program that can be run$on",
        if (Files.exists(path)) s"$path, which may not be executed" else s"nothing at $path",
        "Do install it at the same path on every host"
      )
    }
  }

  private def render(input: ProgramPlan.Input): Path = {
    driver.begins(s"render ${input.name}")
    val file = files.input(input.name, input.format)
    val before = holds.length
    local(input)
    val table =
      new Manifest(input.name, Types.columns(input.name, input.stored).asJava, input.segments.map(_.segment).asJava)
    figures.bytesCopied += figures.timed("render_s")(ProgramFolder.room(home, on)(Using.resource(
          new TableRows(s"inputs.${input.name}", table, input.schema))(FileRender.write(_, input.format, file))))
    // The rows are in the file now.
    holds.drop(before).foreach(_.close())
    holds.dropRightInPlace(holds.length - before)
    driver.rendered(input.name)
    file
  }

  /** The segments of a table as files of this host. */
  private def local(input: ProgramPlan.Input): Seq[Path] = input.segments.map { segment =>
    if (LocalHost().is(segment.host)) Paths.get(segment.path)
    else {
      val hold =
        figures.timed("fetch_s")(RemoteSegments().hold(segment.host, segment.path, segment.bytes, segment.crc32c))
      holds += hold
      figures.bytesCopied += hold.fetched
      hold.file
    }
  }

  private def empty(input: ProgramPlan.Input): Path = {
    val folder = ProgramFolder.room(home, on)(Files.createDirectory(files.anyOutput.resolve(s".empty-${input.name}")))
    Using.resource(new SegmentWriter(folder, "empty", host, Types.columns(input.name, input.schema).asJava,
        program.segmentBytes))(writer => Paths.get(writer.finish(true).get(0).path))
  }

  private def adopted(output: ProgramPlan.Output): Seq[ProgramPlan.TakenFile] =
    sound(Some(""), output)(OutputSegments.adopt(label(output), outputs(output.name), columns(output), host)) match {
      case Left(wrong) => Seq(wrong)
      case Right(segments) => segments.map(segment =>
          ProgramPlan.TakenFile(output.name, Some(Paths.get(segment.path).getFileName.toString), Seq(segment), None))
    }

  private def parsed(output: ProgramPlan.Output): Seq[ProgramPlan.TakenFile] =
    sound(None, output)(left.filter(_.to == outputs(output.name)).foreach(_.moveFrom(work))).fold(Seq(_),
      _ => readFiles(output))

  private def readFiles(output: ProgramPlan.Output): Seq[ProgramPlan.TakenFile] = {
    val place = outputs(output.name)
    val inFolder = Files.isDirectory(place)
    ProgramFolder.room(home, on)(FileParse.files(place)).zipWithIndex.map { case (file, i) =>
      val name = if (inFolder) Some(file.getFileName.toString) else None
      sound(name, output) {
        val writer = new SegmentWriter(home.segments(output.folder(host)), f"part-$i%05d", host, columns(output).asJava,
          program.segmentBytes)
        try {
          new FileParse(label(output), output.schema, writer).read(file, output.format)
          writer.finish(true).asScala.toSeq
        } finally {
          writer.close()
        }
      }.fold(identity,
        segments => {
          figures.bytesCopied += segments.map(_.bytes).sum
          ProgramPlan.TakenFile(output.name, name, segments, None)
        })
    }
  }

  private def sound[T](file: Option[String], output: ProgramPlan.Output)(body: => T): Either[ProgramPlan.TakenFile, T] =
    Try(ProgramFolder.room(home, on)(body)) match {
      case Success(found) => Right(found)
      case Failure(e: SparkGapException) =>
        Left(ProgramPlan.TakenFile(output.name, file, Seq.empty, Some((e.code, e.text))))
      case Failure(e) => throw e
    }

  private def columns(output: ProgramPlan.Output): Seq[Column] = Types.columns(s"outputs.${output.name}", output.schema)

  private def label(output: ProgramPlan.Output): String = s"${output.name}$on"

  /** The host for errors; empty if only the driver's host has ranks. */
  private def on: String = if (driver.isHere) "" else s" on host $host"
}
