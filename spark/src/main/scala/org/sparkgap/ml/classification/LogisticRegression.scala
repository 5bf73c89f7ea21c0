// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.ml.classification

import org.apache.spark.ml.classification.{LogisticRegression => SparksLogisticRegression, LogisticRegressionModel}
import org.apache.spark.ml.linalg.{DenseMatrix, Vectors}
import org.apache.spark.ml.util.{Identifiable, MLWriter}
import org.apache.spark.sql.Dataset
import org.sparkgap.ml.{NativeFit, SparkModels}
import org.sparkgap.spark.ml.ModelRows

/**
 * Spark's LogisticRegression, fitted on native ranks (kernel logreg); bounds on coefficients or intercepts go to
 * Spark's own. Everything else is Spark's. It is saved as Spark's own, which any Spark can load.
 */
class LogisticRegression(
    override val uid: String) extends SparksLogisticRegression(uid) with NativeFit[LogisticRegressionModel] {
  def this() = this(Identifiable.randomUID("logreg"))

  override protected def kernel: String = "logreg"

  override protected def unsupported(dataset: Dataset[_]): Option[String] =
    Seq(lowerBoundsOnCoefficients, upperBoundsOnCoefficients, lowerBoundsOnIntercepts, upperBoundsOnIntercepts).find(
      isSet(_)).map(_.name)

  override protected def kernelParameters: Map[String, Any] = Map(
    "features" -> Seq($(featuresCol)),
    "label" -> $(labelCol),
    "weight" -> get(weightCol).filter(_.nonEmpty),
    "family" -> $(family).toLowerCase,
    "reg_param" -> $(regParam),
    "elastic_net_param" -> $(elasticNetParam),
    "fit_intercept" -> $(fitIntercept),
    "standardization" -> $(standardization),
    "max_iter" -> $(maxIter),
    "tol" -> $(tol)
  )

  override protected def model(learnt: ModelRows, dataset: Dataset[_]): LogisticRegressionModel = {
    // The intercept is feature -1.
    val sets = learnt.matrix("class", "feature").toSeq
    val classes = learnt.figure("classes").toInt
    if (isDefined(thresholds)) require($(thresholds).length == classes,
      s"thresholds: expected one for each of $classes classes, found ${$(thresholds).length}.")
    val coefficients = new DenseMatrix(sets.length, sets.head.length - 1, sets.flatMap(_.tail).toArray, true)
    val made = copyValues(SparkModels.logisticRegression(uid, coefficients.compressed,
        Vectors.dense(sets.map(_.head).toArray).compressed, classes, sets.length > 1))
    SparkModels.summarize(made, dataset, learnt.figures("objective_history"))
    made
  }

  override def write: MLWriter = copyValues(new SparksLogisticRegression(uid)).write
}
