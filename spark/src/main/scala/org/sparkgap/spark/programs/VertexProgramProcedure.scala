// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.programs

import java.io.File
import java.lang.ProcessBuilder.Redirect
import java.nio.file.{Files, Path, Paths}
import java.util.concurrent.TimeUnit

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types._
import org.sparkgap.launch.Program
import org.sparkgap.spark.application.{Conf, SparkGapError}
import org.sparkgap.spark.call.{Arguments, KernelSpec, ParameterCheck, RowsProcedure}
import org.sparkgap.spark.kernel.{CallReport, KernelCall}
import org.sparkgap.store.SparkGapException

/**
 * `CALL sparkgap.graph.run(program => '/path', graph => 'g', parameters => map('source', '5'))`: a user's own vertex
 * program.
 *
 * The program describes itself like every kernel; what it declares stands in `parameters`, as text.
 */
private[spark] object VertexProgramProcedure {
  private val DescribeSeconds = 20L
  private val MostBytes = 1 << 20

  /** Arguments of the procedure itself that are parameters of every vertex program. */
  private val Common = Seq("src" -> StringType, "dst" -> StringType, "weight" -> StringType, "directed" -> BooleanType,
    "max_iterations" -> LongType)

  private val Signature = Arguments.parameter("program", StringType,
    "Path of the compiled program on the driver's host.") +:
    (Seq("edges", "vertices", "graph").map(name =>
      Arguments.parameter(name, StringType, "As for every graph kernel.")) ++
      Common.map { case (name, dataType) => Arguments.parameter(name, dataType, "As for every graph kernel.") } ++
      Seq(Arguments.parameter("parameters", MapType(StringType, StringType),
          "The program's own parameters, as text.")) ++ Arguments.Shared)

  val Procedure: RowsProcedure =
    new RowsProcedure("run", "A vertex program of your own on a graph.", Signature, CallReport.Schema)(run)

  private def run(row: InternalRow): Seq[InternalRow] = {
    val cells = Arguments.cells(Signature, row)
    val program = cells("program").map(_.toString).getOrElse(SparkGapError.refuse("program", "the path of a program",
        "nothing", "Do pass program => '/path'"))
    val conf = Conf.of(SparkSession.active)
    val spec = describe(Paths.get(program).toAbsolutePath, conf)
    val own = cells("parameters").fold(Map.empty[String, String])(_.asInstanceOf[Map[String, String]])
    val known = spec.parameters.map(p => p.name -> p).toMap
    (own.keySet -- known.keySet).headOption.foreach { unknown =>
      SparkGapError.refuse(s"parameters of ${spec.name}", s"names among ${known.keys.toSeq.sorted.mkString(", ")}",
        s"'$unknown'", "Do correct the name or leave it out")
    }
    val typed = own.map { case (name, text) => name -> Option(text).map(ParameterCheck.parsed(known(name), _)) }
    val all =
      spec.inputs.map(i => i.name -> None).toMap[String, Option[Any]] ++ known.keys.map(_ -> None) ++ cells ++ typed
    Seq(new KernelCall(SparkSession.active, spec, Arguments.of(spec, all)).run().row)
  }

  /** Errors: code 2 where there is no program, it may not run here or it is none of ours. */
  private def describe(program: Path, conf: Conf): KernelSpec = {
    if (!Files.isRegularFile(program) || !Files.isExecutable(program)) {
      SparkGapError.refuse(
        "program",
        "a program that can be run",
        if (Files.exists(program)) s"$program, which is none" else s"nothing at $program",
        "Do compile it with sparkgap cxx file.cc -o program"
      )
    }
    new UserPrograms(conf).check(program)
    val process = Program.question(conf.kernelDir.resolve(Program.GUARD), program, "--describe")
      .redirectInput(new File("/dev/null")).redirectError(Redirect.DISCARD).start()
    // Read on a thread of its own, so that neither a full pipe nor a program that never ends blocks the call.
    val text = new java.util.concurrent.FutureTask[Array[Byte]](() => process.getInputStream.readNBytes(MostBytes))
    val reading = new Thread(text, "sparkgap-describe")
    reading.setDaemon(true)
    reading.start()
    try {
      if (!process.waitFor(DescribeSeconds, TimeUnit.SECONDS) || process.exitValue != 0) {
        throw wrong(program, if (process.isAlive) s"no end in $DescribeSeconds s" else s"exit ${process.exitValue}")
      }
      KernelSpec.parse(text.get(DescribeSeconds, TimeUnit.SECONDS), program, e => wrong(program, e))
    } finally {
      process.destroyForcibly()
    }
  }

  private def wrong(program: Path, found: String): SparkGapException =
    new SparkGapException(
      SparkGapException.ARGUMENTS,
      "program",
      s"$program --describe to print what the program takes",
      found,
      "Do compile a vertex program with sparkgap cxx file.cc -o program"
    )
}
