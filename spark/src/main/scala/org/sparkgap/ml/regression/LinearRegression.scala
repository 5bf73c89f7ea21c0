// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.ml.regression

import org.apache.spark.ml.linalg.Vectors
import org.apache.spark.ml.regression.{LinearRegression => SparksLinearRegression, LinearRegressionModel}
import org.apache.spark.ml.util.{Identifiable, MLWriter}
import org.apache.spark.sql.Dataset
import org.sparkgap.ml.{FittedLinearRegression, NativeFit}
import org.sparkgap.spark.ml.ModelRows

/**
 * Spark's LinearRegression, fitted from one pass over the rows on native ranks (kernel linreg). Everything else is
 * Spark's: parameters, their defaults, the model. It is saved as Spark's own, which any Spark can load.
 */
class LinearRegression(
    override val uid: String) extends SparksLinearRegression(uid) with NativeFit[LinearRegressionModel] {
  def this() = this(Identifiable.randomUID("linReg"))

  override protected def kernel: String = "linreg"

  override protected def unsupported(dataset: Dataset[_]): Option[String] =
    if ($(loss) == "huber") Some("loss = huber") else None

  override protected def kernelParameters: Map[String, Any] = Map(
    "features" -> Seq($(featuresCol)),
    "label" -> $(labelCol),
    "weight" -> get(weightCol).filter(_.nonEmpty),
    "reg_param" -> $(regParam),
    "elastic_net_param" -> $(elasticNetParam),
    "fit_intercept" -> $(fitIntercept),
    "standardization" -> $(standardization),
    "solver" -> $(solver),
    "max_iter" -> $(maxIter),
    "tol" -> $(tol)
  )

  override protected def model(learnt: ModelRows, dataset: Dataset[_]): LinearRegressionModel = {
    // feature -1, the intercept, stands first.
    val values = learnt.matrix("class", "feature").head
    val coefficients = Vectors.dense(values.tail)
    copyValues(new FittedLinearRegression(
        uid,
        if ($(solver) == "l-bfgs") coefficients.compressed else coefficients,
        values.head,
        dataset,
        learnt.figures("diagonal"),
        learnt.figures("objective_history"),
        if ($(fitIntercept)) values.tail :+ values.head else values.tail
      ))
  }

  override def write: MLWriter = copyValues(new SparksLinearRegression(uid)).write
}
