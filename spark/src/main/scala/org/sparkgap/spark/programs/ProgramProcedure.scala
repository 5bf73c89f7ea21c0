// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.programs

import java.nio.file.{Files, Path, Paths}
import java.util.{List => JList}

import scala.collection.immutable.ListMap
import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types._
import org.sparkgap.launch.LeftFile
import org.sparkgap.spark.affinity.RankPlace
import org.sparkgap.spark.application.{Conf, SparkGapError}
import org.sparkgap.spark.call.{Arguments, RowsProcedure}
import org.sparkgap.spark.formats.{ArgumentTemplate, FileFormat}
import org.sparkgap.spark.kernel.KernelInput
import org.sparkgap.spark.table.{ResultName, StoreTable}
import org.sparkgap.store.{SparkGapException, TableStore}

private[spark] final case class ProgramInput(data: DataFrame, format: FileFormat)

/** @param file its name in the working folder, where the program knows no other place for it */
private[spark] final case class ProgramOutput(schema: StructType, format: FileFormat, file: Option[String])

/** What a CALL of mpi.run asks for, checked; inputs and outputs in the order of their names. */
private[spark] final case class ProgramRequest(program: Path, name: String, arguments: Seq[String],
    inputs: ListMap[String, ProgramInput], outputs: ListMap[String, ProgramOutput],
    ranks: Option[Long], threads: Option[Long], timeoutSeconds: Option[Double], result: Option[String],
    environment: Map[String, String], logs: Option[Path])

/**
 * `CALL sparkgap.mpi.run(program => '/path', args => array(...), inputs => map(...), outputs => map(...))`: any
 * program, MPI or not.
 */
private[spark] object ProgramProcedure {
  val Family = "mpi"

  private val Texts = MapType(StringType, StringType)
  private val Name = "[A-Za-z0-9_]{1,64}"

  private val Signature = Seq(
    Arguments.parameter("program", StringType,
      "A program: a path, or a name that is in the driver's PATH; on several hosts it lies at the same path on all."),
    Arguments.parameter(
      "args",
      ArrayType(StringType),
      "Its arguments; {inputs.NAME}, {outputs.NAME}, {rank}, {ranks}, {threads} and {job} stand for what the call " +
        "knows. No shell."
    ),
    Arguments.parameter("name", StringType, "What the job is called; default the program's file name."),
    Arguments.parameter("inputs", Texts, "Name -> table or view."),
    Arguments.parameter("input_formats", Texts,
      s"Name -> how the program gets it: ${FileFormat.Words.keys.mkString(", ")}; arrow where none is said."),
    Arguments.parameter("outputs", Texts, "Name -> columns, as DDL: 'i bigint, s double'."),
    Arguments.parameter("output_formats", Texts, "Name -> how the program writes it, as for inputs."),
    Arguments.parameter("output_files", Texts,
      "Name -> file or folder that the program leaves in its working folder, for one that takes no path."),
    Arguments.parameter("env", Texts,
      "Environment variables over those that it gets of the driver's: docs/mpi-programs.md."),
    Arguments.parameter("logs", StringType,
      "A folder on the driver's host where what each rank prints is kept, as rank-<r>.log.")
  ) ++
    Arguments.Shared.filter(p => Seq("ranks", "threads", "timeout_s").contains(p.name)) :+
    Arguments.parameter("result", StringType, "The outputs become tables <result>_<name>; default <program>_<number>.")

  /** The one row that the CALL returns. */
  val Schema: StructType = new StructType()
    .add("tables", MapType(StringType, StringType, valueContainsNull = false), nullable = false).add("program",
      StringType, nullable = false)
    .add("rows_in", LongType, nullable = false).add("rows_out", LongType, nullable = false)
    .add("ranks", IntegerType, nullable = false).add("threads", IntegerType, nullable = false)
    .add("total_s", DoubleType, nullable = false).add("phases",
      MapType(StringType, DoubleType, valueContainsNull = false), nullable = false)
    .add("bytes_copied", LongType, nullable = false).add("peak_rss_bytes", LongType, nullable = false)
    .add("logs", MapType(IntegerType, StringType, valueContainsNull = false), nullable = false).add("printed",
      StringType, nullable = false)
    .add("rank_cpus", RankPlace.Schema, nullable = false)

  val All: Seq[RowsProcedure] = Seq(new RowsProcedure("run",
      "Any program, with MPI or without, on tables; its results as tables.", Signature, Schema)(row =>
      Seq(new ProgramCall(SparkSession.active, read(SparkSession.active, row)).run())))

  private def read(session: SparkSession, row: InternalRow): ProgramRequest = {
    val cells = Arguments.cells(Signature, row)
    def texts(name: String): ListMap[String, String] = {
      val passed = cells(name).fold(Map.empty[String, String])(_.asInstanceOf[Map[String, String]])
      passed.find(_._2 == null).foreach { case (key, _) =>
        SparkGapError.refuse(s"$name.$key", "a string", "null", "Do give one or leave the name out")
      }
      ListMap(passed.toSeq.sortBy(_._1): _*)
    }
    def text(name: String): Option[String] = cells(name).map(_.toString).filter(_.trim.nonEmpty)
    val arguments = cells("args").fold(Seq.empty[String])(_.asInstanceOf[JList[String]].asScala.toSeq)
    if (arguments.contains(null)) SparkGapError.refuse("args", "strings", "a null among them", "Do leave it out")
    if (arguments.exists(_.contains('\u0000')))
      SparkGapError.refuse("args", "words without NUL characters", "one", "Do leave it out")
    val (inputFormats, outputFormats) = (formats("input_formats", texts("input_formats"), texts("inputs")),
      formats("output_formats", texts("output_formats"), texts("outputs")))
    val outputFiles = leftFiles(texts("output_files"), outputFormats, ArgumentTemplate.folders(arguments))
    val inputs = texts("inputs").map { case (name, table) =>
      val data = KernelInput.find(session, s"inputs.${named("inputs", name)}", table)
      fits(s"inputs.$name", data.schema, inputFormats(name), SparkGapException.DATA)
      name -> ProgramInput(data, inputFormats(name))
    }
    val outputs = texts("outputs").map { case (name, ddl) =>
      val schema = columns(s"outputs.${named("outputs", name)}", ddl)
      fits(s"outputs.$name", schema, outputFormats(name), SparkGapException.ARGUMENTS)
      name -> ProgramOutput(schema, outputFormats(name), outputFiles.get(name))
    }
    val program = find(text("program").getOrElse(SparkGapError.refuse("program", "a program", "nothing",
          "Do pass program => '/path'")))
    val users = new UserPrograms(Conf.of(session))
    users.check(program)
    users.checkEnvironment(texts("env").keys)
    text("logs").foreach(users.checkLogs)
    val name = text("name").getOrElse(program.getFileName.toString.replaceAll("(?<=.)\\.[^.]*$", "").replaceAll(
        "[^A-Za-z0-9_]+", "_"))
    if (!name.matches(Name))
      SparkGapError.refuse("name", "letters, digits and _, at most 64", s"'$name'", "Do pass name => 'a_name'")
    ProgramRequest(
      program,
      name,
      arguments,
      inputs,
      outputs,
      Arguments.atLeastOne("ranks", cells),
      Arguments.atLeastOne("threads", cells),
      Arguments.seconds(cells),
      text("result").map(result),
      environment(texts("env")),
      text("logs").map(folder)
    )
  }

  private def known(argument: String, passed: Iterable[String], names: Iterable[String]): Unit =
    passed.find(name => !names.exists(_ == name)).foreach { unknown =>
      SparkGapError.refuse(
        s"$argument.$unknown",
        if (names.isEmpty) "no names, as there are no tables" else s"a name among ${names.mkString(", ")}",
        s"'$unknown'",
        "Do correct the name"
      )
    }

  /** Outputs by the names of their files in the working folder. */
  private def leftFiles(
      passed: Map[String, String], formats: Map[String, FileFormat], asFolders: Set[String]): Map[String, String] = {
    known("output_files", passed.keys, formats.keys)
    passed.foreach { case (name, file) =>
      val where = s"output_files.$name"
      LeftFile.check(where, file)
      if (formats(name) == FileFormat.Arrow) SparkGapError.refuse(where, "an output of another format than arrow",
        "arrow", "Do say in output_formats what the file is")
      if (asFolders(s"outputs.$name"))
        SparkGapError.refuse(where, s"no argument with {outputs.$name}/ beside it", "one", "Do leave one of them out")
    }
    val paths = passed.toSeq.map { case (name, file) => name -> Paths.get(file).normalize }
    for ((name, path) <- paths; (other, outer) <- paths if name != other && path.startsWith(outer)) {
      SparkGapError.refuse(s"output_files.$name", "a file of its own", s"'$path', which is in '$outer' of $other",
        "Do take one table of it")
    }
    passed
  }

  /** A format for each name. */
  private def formats(
      argument: String, passed: Map[String, String], names: Map[String, String]): Map[String, FileFormat] = {
    known(argument, passed.keys, names.keys)
    names.map { case (name, _) =>
      name -> passed.get(name).fold[FileFormat](FileFormat.Arrow)(FileFormat.of(s"$argument.$name", _))
    }
  }

  private def result(asked: String): String = {
    TableStore.checkName(StoreTable.plain(ResultName.withoutWord(asked)))
    asked
  }

  private def named(what: String, name: String): String =
    if (name.matches(Name)) name
    else SparkGapError.refuse(what, "names of letters, digits and _, at most 64", s"'$name'", "Choose another name")

  private def columns(where: String, ddl: String): StructType = {
    val schema =
      try StructType.fromDDL(ddl)
      catch {
        case NonFatal(_) => SparkGapError.refuse(where, "columns such as 'i bigint, s double'", s"'$ddl'",
            "Do write it as in CREATE TABLE")
      }
    if (schema.isEmpty)
      SparkGapError.refuse(where, "at least one column", "none", "Do write for example 'i bigint, s double'")
    schema.fieldNames.diff(schema.fieldNames.distinct).headOption.foreach(twice =>
      SparkGapError.refuse(where, "columns of different names", s"'$twice' twice", "Do rename one"))
    schema
  }

  private def fits(where: String, schema: StructType, format: FileFormat, code: Int): Unit =
    format.refuses(schema).foreach { refusal =>
      val word = FileFormat.Words.collectFirst { case (word, `format`) => word }.get
      throw new SparkGapException(code, s"$where.${refusal.column}", s"${refusal.expected} for format $word",
        refusal.found, "Do cast it, rename it, leave it out or choose another format")
    }

  /** Errors: code 2 where there is no such program or it cannot be run. */
  private def find(program: String): Path = {
    val places = if (program.contains("/")) Seq(Paths.get(program).toAbsolutePath.normalize)
    else Option(System.getenv("PATH")).getOrElse("").split(":").toSeq.filter(_.nonEmpty).map(Paths.get(_,
        program).toAbsolutePath)
    def runs(path: Path): Boolean = Files.isRegularFile(path) && Files.isExecutable(path)
    places.find(runs).getOrElse {
      val there = places.find(Files.exists(_))
      val found =
        there.fold(if (program.contains("/")) s"nothing at ${places.head}" else s"no '$program' in PATH")(path =>
          if (Files.isDirectory(path)) s"the folder $path" else s"$path, which may not be executed")
      SparkGapError.refuse("program", "a program that can be run on the driver's host", found,
        there.fold("Do check the path")(path => s"Do chmod +x $path or choose another"))
    }
  }

  private def environment(passed: Map[String, String]): Map[String, String] = {
    passed.keys.foreach { name =>
      if (!name.matches("[A-Za-z_][A-Za-z0-9_]*") || name.startsWith("SPARKGAP_") || name.startsWith("PMI_")) {
        SparkGapError.refuse("env", "names of variables that are not SPARKGAP_* or PMI_*", s"'$name'",
          "Do leave it out")
      }
    }
    passed.find(_._2.contains('\u0000')).foreach { case (name, _) =>
      SparkGapError.refuse(s"env.$name", "a value without NUL characters", "one", "Do leave it out")
    }
    passed
  }

  private def folder(name: String): Path = {
    val path = Paths.get(name).toAbsolutePath
    if (!Files.isDirectory(path) || !Files.isWritable(path))
      SparkGapError.refuse("logs", "a folder on the driver's host that can be written", s"'$path'", "Do make it first")
    path
  }
}
