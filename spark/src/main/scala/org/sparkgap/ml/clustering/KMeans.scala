// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.ml.clustering

import org.apache.spark.ml.clustering.{KMeans => SparksKMeans, KMeansModel}
import org.apache.spark.ml.util.{Identifiable, MLWriter}
import org.apache.spark.sql.Dataset
import org.sparkgap.ml.{NativeFit, SparkModels}
import org.sparkgap.spark.ml.ModelRows

/**
 * Spark's KMeans, fitted on native ranks (kernel kmeans). Everything else is Spark's; `solver` and `maxBlockSizeInMB`,
 * which say how Spark computes, mean nothing here. The same seed draws other rows than Spark's. It is saved as Spark's
 * own, which any Spark can load.
 */
class KMeans(override val uid: String) extends SparksKMeans(uid) with NativeFit[KMeansModel] {
  def this() = this(Identifiable.randomUID("kmeans"))

  override protected def kernel: String = "kmeans"

  override protected def unsupported(dataset: Dataset[_]): Option[String] = None

  override protected def kernelParameters: Map[String, Any] = Map(
    "features" -> Seq($(featuresCol)),
    "weight" -> get(weightCol).filter(_.nonEmpty),
    "k" -> $(k),
    "distance_measure" -> $(distanceMeasure),
    "init_mode" -> $(initMode),
    "init_steps" -> $(initSteps),
    "tol" -> $(tol),
    "max_iter" -> $(maxIter),
    "seed" -> $(seed)
  )

  override protected def model(learnt: ModelRows, dataset: Dataset[_]): KMeansModel = {
    val made = copyValues(SparkModels.kMeans(uid, learnt.matrix("cluster", "feature"), $(distanceMeasure),
        learnt.figure("training_cost"), learnt.iterations))
    SparkModels.summarize(made, made.transform(dataset), learnt.iterations, learnt.figure("training_cost"))
    made
  }

  override def write: MLWriter = copyValues(new SparksKMeans(uid)).write
}
