// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
// Written by dev/make_kernels.py from the Specs of the kernels; do not edit.
package org.sparkgap.spark.methods

import java.util.{List => JList}

import org.apache.spark.sql.{DataFrame, Row}

/**
 * Kernels on sparse tensors, which are DataFrames of entries. In Java: `TensorKernels.cpd(data)`, then arguments one by
 * one, then `run()`.
 */
object TensorKernels {
  /** CP decomposition (CANDECOMP/PARAFAC) of a sparse tensor by alternating least squares; what has no row is 0. */
  def cpd(data: DataFrame): Cpd = new Cpd(MainInput.Rows("data", data))

  final class Cpd private[methods] (input: MainInput)
      extends KernelRequest[Cpd, DataFrame]("tensor.cpd", input) {
    /** 2 to 32 columns of keys, each of integers or strings, without nulls; must be given. */
    def modes(value: JList[String]): Cpd = put("modes", value)

    /** Column of numbers, finite, not all 0; those of rows with the same keys add up. */
    def value(value: String): Cpd = put("value", value)

    /** How many components. A whole number in [1, 1000] components. */
    def rank(value: Long): Cpd = put("rank", value)

    /** At most that many iterations. A whole number of at least 1 iterations. */
    def max_iter(value: Long): Cpd = put("max_iter", value)

    /** Ends where an iteration changes the fit by less. A number of at least 0. */
    def tol(value: Double): Cpd = put("tol", value)

    /** How much the squares of the lambdas cost. A number of at least 0. */
    def reg_param(value: Double): Cpd = put("reg_param", value)

    /** Whether factors may not be below 0. */
    def non_negative(value: Boolean): Cpd = put("non_negative", value)

    /** Other seeds start from other factors. */
    def seed(value: Long): Cpd = put("seed", value)

    override private[methods] def made(row: Row): DataFrame = table(row)
  }
}

/** Kernels on sparse tensors, which are DataFrames of entries. Here as methods of a DataFrame. */
trait TensorMethods {
  private[methods] def data: DataFrame

  /**
   * CP decomposition (CANDECOMP/PARAFAC) of a sparse tensor by alternating least squares; what has no row is 0.
   *
   * @param modes
   *   2 to 32 columns of keys, each of integers or strings, without nulls; must be given.
   * @param value
   *   Column of numbers, finite, not all 0; those of rows with the same keys add up.
   * @param rank
   *   How many components. A whole number in [1, 1000] components.
   * @param max_iter
   *   At most that many iterations. A whole number of at least 1 iterations.
   * @param tol
   *   Ends where an iteration changes the fit by less. A number of at least 0.
   * @param reg_param
   *   How much the squares of the lambdas cost. A number of at least 0.
   * @param non_negative
   *   Whether factors may not be below 0.
   * @param seed
   *   Other seeds start from other factors.
   * @param engine
   *   Native ranks, or `spark` for Spark's own library where it has such an algorithm.
   * @param ranks
   *   MPI ranks; by default one, or `spark.sparkgap.launch.ranks`.
   * @param threads
   *   Threads of each rank; by default the cores that Spark has / ranks.
   * @param timeout_s
   *   Deadline of the whole call [s].
   * @param result
   *   Name of the result in `sparkgap.store`.
   */
  def cpd(
      modes: Given[Seq[String]] = Given.none,
      value: String = "value",
      rank: Long = 10L,
      max_iter: Long = 50L,
      tol: Double = 0.0001,
      reg_param: Double = 0.0,
      non_negative: Boolean = false,
      seed: Long = 0L,
      engine: String = "native",
      ranks: Given[Long] = Given.none,
      threads: Given[Long] = Given.none,
      timeout_s: Given[Double] = Given.none,
      result: Given[String] = Given.none
  ): DataFrame =
    new TensorKernels.Cpd(MainInput.Rows("data", data)).passed(
      "modes" -> modes, "value" -> value, "rank" -> rank, "max_iter" -> max_iter, "tol" -> tol, "reg_param" ->
      reg_param, "non_negative" -> non_negative, "seed" -> seed, "engine" -> engine, "ranks" -> ranks, "threads" ->
      threads, "timeout_s" -> timeout_s, "result" -> result).run()
}
