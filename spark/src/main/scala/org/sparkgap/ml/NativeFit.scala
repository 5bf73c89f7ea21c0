// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.ml

import org.apache.spark.ml.{Estimator, Model}
import org.apache.spark.sql.Dataset
import org.sparkgap.spark.ml.{ModelCall, ModelRows}
import org.sparkgap.store.SparkGapException

/**
 * What makes one of Spark's estimators a native one: its class extends Spark's own and mixes this in. `fit` then runs a
 * kernel and makes Spark's own model of what the kernel has learnt; where a parameter asks for what the kernel does not
 * do, Spark's own `fit` runs, or the call is refused (`spark.sparkgap.ml.unsupported`).
 */
private[ml] trait NativeFit[M <: Model[M]] extends Estimator[M] {

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
    def sparks(why: String): M = ModelCall.instead(data, getClass.getSimpleName, why)(super.fit(dataset))
    unsupported(dataset) match {
      case Some(why) => sparks(why)
      case None =>
        val learnt =
          try Right(ModelCall.run(data, kernel, kernelParameters))
          catch { case e: SparkGapException if e.code == SparkGapException.ARGUMENTS => Left(e.text.stripSuffix(".")) }
        learnt.fold(sparks, model(_, dataset).setParent(this))
    }
  }
}
