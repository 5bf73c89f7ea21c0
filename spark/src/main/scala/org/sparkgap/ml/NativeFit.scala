// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.ml

import org.apache.spark.ml.{Estimator, Model}
import org.apache.spark.ml.classification.LogisticRegressionModel
import org.apache.spark.ml.clustering.KMeansModel
import org.apache.spark.ml.param.{DoubleParam, IntParam, Param, ParamValidators}
import org.apache.spark.ml.regression.LinearRegressionModel
import org.apache.spark.sql.Dataset
import org.sparkgap.spark.ml.{FitReports, ModelCall, ModelRows}
import org.sparkgap.store.SparkGapException

/**
 * What makes one of Spark's estimators a native one: its class extends Spark's own and mixes this in. `fit` then runs a
 * kernel and makes Spark's own model of what the kernel has learnt; where a parameter asks for what the kernel does not
 * do, Spark's own `fit` runs, or the call is refused (`spark.sparkgap.ml.unsupported`).
 *
 * `engine`, `ranks`, `threads` and `timeoutS` are what every kernel takes; they are not saved, for what is saved is
 * Spark's own.
 */
private[ml] trait NativeFit[M <: Model[M]] extends Estimator[M] {

  final val engine: Param[String] = new Param(this, "engine", "native, or spark for Spark's own fit. Default native.",
    ParamValidators.inArray(Array("native", "spark")))
  final val ranks: IntParam =
    new IntParam(this, "ranks", "Processes of a native fit. Default spark.sparkgap.launch.ranks.",
      ParamValidators.gtEq(1.0))
  final val threads: IntParam =
    new IntParam(this, "threads", "Threads of each rank. Default spark.sparkgap.launch.threads.",
      ParamValidators.gtEq(1.0))
  final val timeoutS: DoubleParam = new DoubleParam(this, "timeoutS",
    "Seconds that a native fit may take. Default spark.sparkgap.launch.timeout.", ParamValidators.gt(0.0))

  /** The kernel's stem. */
  protected def kernel: String

  /** What the parameters ask for that the kernel does not do, in words. */
  protected def unsupported(dataset: Dataset[_]): Option[String]

  /** The kernel's parameters by the names of its Spec; None = not given. */
  protected def kernelParameters: Map[String, Any]

  /** Spark's own model with this estimator's parameters, its summary too. */
  protected def model(learnt: ModelRows, dataset: Dataset[_]): M

  abstract override def fit(dataset: Dataset[_]): M = {
    transformSchema(dataset.schema)
    val data = dataset.toDF()
    val begin = System.nanoTime()
    def seconds: Double = (System.nanoTime() - begin) / 1e9
    def sparks(why: Option[String]): M = {
      val made = super.fit(dataset)
      FitReports().put(data.sparkSession, FitReports.sparks(data.sparkSession, kernel, iterations(made), seconds), why)
      made
    }
    def instead(why: String): M = ModelCall.instead(data, getClass.getSimpleName, why)(sparks(Some(why)))
    if (get(engine).contains("spark")) sparks(None)
    else unsupported(dataset).map(instead).getOrElse {
      val shared = Map("ranks" -> get(ranks), "threads" -> get(threads), "timeout_s" -> get(timeoutS))
      val learnt =
        try Right(ModelCall.run(data, kernel, kernelParameters ++ shared))
        catch { case e: SparkGapException if e.code == SparkGapException.ARGUMENTS => Left(e.text.stripSuffix(".")) }
      learnt.fold(
        instead,
        { case (rows, report) =>
          val made = model(rows, dataset).setParent(this)
          val readback = "readback_s" -> (seconds - report.totalSeconds)
          FitReports().put(
            data.sparkSession, report.copy(totalSeconds = seconds, phases = report.phases + readback), None)
          made
        }
      )
    }
  }

  /** Of Spark's own fit, where its summary says. */
  private def iterations(of: M): Option[Long] = (of match {
    case m: LinearRegressionModel if m.hasSummary => Some(m.summary.totalIterations)
    case m: LogisticRegressionModel if m.hasSummary => Some(m.summary.totalIterations)
    case m: KMeansModel if m.hasSummary => Some(m.summary.numIter)
    case _ => None
  }).map(_.toLong)
}
