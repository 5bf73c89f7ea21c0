// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.ml.classification

import org.apache.spark.ml.classification.{NaiveBayes => SparksNaiveBayes, NaiveBayesModel}
import org.apache.spark.ml.linalg.{DenseMatrix, Matrices, Vectors}
import org.apache.spark.ml.util.{Identifiable, MLWriter}
import org.apache.spark.sql.Dataset
import org.sparkgap.ml.{NativeFit, SparkModels}
import org.sparkgap.spark.ml.ModelRows

/**
 * Spark's NaiveBayes, fitted on native ranks (kernel naivebayes). Everything else is Spark's. It is saved as Spark's
 * own, which any Spark can load.
 */
class NaiveBayes(override val uid: String) extends SparksNaiveBayes(uid) with NativeFit[NaiveBayesModel] {
  def this() = this(Identifiable.randomUID("nb"))

  override protected def kernel: String = "naivebayes"

  override protected def unsupported(dataset: Dataset[_]): Option[String] = None

  override protected def kernelParameters: Map[String, Any] =
    Map("features" -> Seq($(featuresCol)), "label" -> $(labelCol), "weight" -> get(weightCol).filter(_.nonEmpty),
      "smoothing" -> $(smoothing), "model_type" -> $(modelType))

  override protected def model(learnt: ModelRows, dataset: Dataset[_]): NaiveBayesModel = {
    // Rows are by term, then class, then feature: pi, which has none, theta, and of gaussian models sigma. Classes are
    // counted as Spark does, those that occur.
    val classes = learnt.columns("feature").asInstanceOf[Array[Long]].takeWhile(_ == -1).length
    val numbers = (learnt.values.length - classes) / (if ($(modelType) == "gaussian") 2 else 1)
    val (pi, theta, sigma) = (learnt.values.take(classes), learnt.values.slice(classes, classes + numbers),
      learnt.values.drop(classes + numbers))
    if (isDefined(thresholds)) require($(thresholds).length == classes,
      s"thresholds: expected one for each of $classes classes, found ${$(thresholds).length}.")
    def matrix(values: Array[Double]) = new DenseMatrix(classes, values.length / classes, values, true)
    copyValues(SparkModels.naiveBayes(uid, Vectors.dense(pi), matrix(theta),
        if (sigma.isEmpty) Matrices.zeros(0, 0) else matrix(sigma)))
  }

  override def write: MLWriter = copyValues(new SparksNaiveBayes(uid)).write
}
