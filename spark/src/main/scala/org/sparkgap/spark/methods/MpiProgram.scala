// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.methods

import scala.annotation.varargs
import scala.collection.immutable.ListMap

import org.apache.spark.sql.{DataFrame, Row, SparkSession}

/**
 * A run of any program, with MPI or without, on tables (docs/mpi-programs.md), put together argument by argument. Not
 * thread-safe.
 *
 * {{{
 * new MpiProgram(spark, "/opt/solve").args("{inputs.a}", "{outputs.x}").input("a", data, "csv")
 *   .output("x", "i bigint, s double", "csv").ranks(4).run().table("x")
 * }}}
 *
 * @param program
 *   a path, the same on every host, or a name that is in the driver's PATH
 */
final class MpiProgram(session: SparkSession, program: String) {
  private var arguments = ListMap[String, Any]("program" -> program)

  /**
   * Its arguments. `{inputs.NAME}`, `{outputs.NAME}`, `{rank}`, `{ranks}`, `{threads}` and `{job}` stand for what the
   * call knows. No shell sees them.
   */
  @varargs def args(words: String*): MpiProgram = put("args", words)

  /** A table that it reads from a job.json, in place. */
  def input(name: String, data: DataFrame): MpiProgram = add("inputs", name, data)

  /** A table that it reads from a file of that format, such as `csv`. */
  def input(name: String, data: DataFrame, format: String): MpiProgram =
    input(name, data).add("input_formats", name, format)

  /** A table that it writes as segments; columns as DDL, `i bigint, s double`. */
  def output(name: String, columns: String): MpiProgram = add("outputs", name, columns)

  /** A table that it writes as a file of that format. */
  def output(name: String, columns: String, format: String): MpiProgram =
    output(name, columns).add("output_formats", name, format)

  /** The file or folder of an output that the program leaves in its working folder. */
  def file(output: String, path: String): MpiProgram = add("output_files", output, path)

  /** An environment variable of the program. */
  def env(name: String, value: String): MpiProgram = add("env", name, value)

  /** A folder on the driver's host where the output of each rank is kept. */
  def logs(folder: String): MpiProgram = put("logs", folder)

  /** What the job is called; default the program's file name. */
  def name(word: String): MpiProgram = put("name", word)

  /** Processes; several are started by mpiexec. */
  def ranks(count: Long): MpiProgram = put("ranks", count)

  /** OMP_NUM_THREADS of each rank. */
  def threads(count: Long): MpiProgram = put("threads", count)

  /** Seconds until every process of the job is killed. */
  def timeout_s(seconds: Double): MpiProgram = put("timeout_s", seconds)

  /** The outputs become tables `<result>_<name>` of the store. */
  def result(name: String): MpiProgram = put("result", name)

  /** Runs it. Errors: SparkGapException, whose code and text say what is wrong. */
  def run(): MpiResult = new MpiResult(session, ProcedureCall(session, "mpi.run", arguments.toSeq))

  private def put(name: String, value: Any): MpiProgram = {
    arguments += name -> value
    this
  }

  private def add(argument: String, name: String, value: Any): MpiProgram =
    put(argument, arguments.getOrElse(argument, Map.empty).asInstanceOf[Map[String, Any]] + (name -> value))
}

/**
 * What a run of a program gave.
 *
 * @param call
 *   the row of the call, with its phases and counts
 */
final class MpiResult private[methods] (session: SparkSession, val call: Row) {

  /** An output by its name. */
  def table(name: String): DataFrame = session.table(call.getAs[Map[String, String]]("tables")(name))

  /** What rank 0 printed. */
  def printed: String = call.getAs[String]("printed")
}
