// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.ml;

import java.util.Arrays;
import org.apache.spark.ml.classification.BinaryLogisticRegressionTrainingSummaryImpl;
import org.apache.spark.ml.classification.LogisticRegressionModel;
import org.apache.spark.ml.classification.LogisticRegressionTrainingSummary;
import org.apache.spark.ml.classification.LogisticRegressionTrainingSummaryImpl;
import org.apache.spark.ml.classification.NaiveBayesModel;
import org.apache.spark.ml.clustering.KMeansModel;
import org.apache.spark.ml.clustering.KMeansSummary;
import org.apache.spark.ml.clustering.LocalLDAModel;
import org.apache.spark.ml.linalg.Matrix;
import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.mllib.linalg.Matrices;
import org.apache.spark.mllib.linalg.Vectors;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import scala.Some;

/**
 * Makes Spark's own models and their summaries, whose predictions are computed when they are asked for: the
 * constructors are private to Spark's packages in Scala, and public in the bytecode, which is what Java sees.
 */
public final class SparkModels {
    /** Spark's default, of the start of a document's mixture in its LocalLDAModel. */
    private static final double GAMMA_SHAPE = 100;

    private SparkModels() {}

    public static KMeansModel kMeans(
            String uid, double[][] centers, String distanceMeasure, double trainingCost, int iterations) {
        var vectors = Arrays.stream(centers).map(Vectors::dense).toArray(org.apache.spark.mllib.linalg.Vector[]::new);
        return new KMeansModel(
                uid,
                new org.apache.spark.mllib.clustering.KMeansModel(vectors, distanceMeasure, trainingCost, iterations));
    }

    public static void summarize(KMeansModel model, Dataset<Row> predictions, int iterations, double trainingCost) {
        model.setSummary(new Some<>(new KMeansSummary(
                predictions,
                model.getPredictionCol(),
                model.getFeaturesCol(),
                model.getK(),
                iterations,
                trainingCost)));
    }

    /** @param counts of each word from each topic, topic by topic */
    public static LocalLDAModel lda(
            String uid, double[] counts, double[] alpha, double topicConcentration, long seed, SparkSession session) {
        int k = alpha.length;
        int words = counts.length / k;
        var model = new org.apache.spark.mllib.clustering.LocalLDAModel(
                Matrices.dense(words, k, counts), Vectors.dense(alpha), topicConcentration, GAMMA_SHAPE);
        return new LocalLDAModel(uid, words, model.setSeed(seed), session);
    }

    public static NaiveBayesModel naiveBayes(String uid, Vector pi, Matrix theta, Matrix sigma) {
        return new NaiveBayesModel(uid, pi, theta, sigma);
    }

    public static LogisticRegressionModel logisticRegression(
            String uid, Matrix coefficients, Vector intercepts, int classes, boolean isMultinomial) {
        return new LogisticRegressionModel(uid, coefficients, intercepts, classes, isMultinomial);
    }

    public static void summarize(LogisticRegressionModel model, Dataset<?> data, double[] history) {
        var found = model.findSummaryModel();
        Dataset<Row> predictions = found._1().transform(data);
        String weights = model.isDefined(model.weightCol()) ? model.getWeightCol() : "weightCol";
        LogisticRegressionTrainingSummary summary = model.numClasses() > 2
                ? new LogisticRegressionTrainingSummaryImpl(
                        predictions,
                        found._2(),
                        found._3(),
                        model.getLabelCol(),
                        model.getFeaturesCol(),
                        weights,
                        history)
                : new BinaryLogisticRegressionTrainingSummaryImpl(
                        predictions,
                        found._2(),
                        found._3(),
                        model.getLabelCol(),
                        model.getFeaturesCol(),
                        weights,
                        history);
        model.setSummary(new Some<>(summary));
    }
}
