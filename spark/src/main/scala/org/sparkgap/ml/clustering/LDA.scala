// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.ml.clustering

import org.apache.spark.ml.clustering.{LDA => SparksLDA, LDAModel}
import org.apache.spark.ml.util.{Identifiable, MLWriter}
import org.apache.spark.sql.Dataset
import org.sparkgap.ml.{NativeFit, SparkModels}
import org.sparkgap.spark.ml.ModelRows

/**
 * Spark's LDA, fitted on native ranks (kernel lda). With the optimizer em too a LocalLDAModel comes out: what Spark's
 * DistributedLDAModel gives as toLocal. Everything else is Spark's. It is saved as Spark's own, which any Spark can
 * load.
 */
class LDA(override val uid: String) extends SparksLDA(uid) with NativeFit[LDAModel] {
  def this() = this(Identifiable.randomUID("lda"))

  override protected def kernel: String = "lda"

  override protected def unsupported(dataset: Dataset[_]): Option[String] =
    if (get(docConcentration).exists(_.distinct.length > 1)) Some("docConcentration that differs from topic to topic")
    else None

  override protected def kernelParameters: Map[String, Any] = Map(
    "features" -> Seq($(featuresCol)),
    "k" -> $(k),
    "max_iter" -> $(maxIter),
    "seed" -> $(seed),
    "optimizer" -> $(optimizer).toLowerCase,
    "learning_offset" -> $(learningOffset),
    "learning_decay" -> $(learningDecay),
    "subsampling_rate" -> $(subsamplingRate),
    "optimize_doc_concentration" -> $(optimizeDocConcentration),
    "doc_concentration" -> get(docConcentration).flatMap(_.headOption).filter(_ != -1),
    "topic_concentration" -> get(topicConcentration).filter(_ != -1)
  )

  override protected def model(learnt: ModelRows, dataset: Dataset[_]): LDAModel = {
    // A matrix of words by topics, column by column.
    val values = Array.concat(learnt.matrix("topic", "word").toSeq: _*)
    copyValues(SparkModels.lda(uid, values, learnt.figures("doc_concentration"), learnt.figure("topic_concentration"),
        $(seed), dataset.sparkSession))
  }

  override def write: MLWriter = copyValues(new SparksLDA(uid)).write
}
