// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.ml;

import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.ml.regression.LinearRegressionModel;
import org.apache.spark.sql.Dataset;

/** Makes Spark's own models: their constructors are private to Spark's packages in Scala, and public in the bytecode, which is what Java sees. */
public final class SparkModels {
  private SparkModels() {}

  public static LinearRegressionModel linearRegression(String uid, Vector coefficients, double intercept) {
    return new LinearRegressionModel(uid, coefficients, intercept);
  }

  /**
   * Gives the model its summary, whose predictions are computed when they are asked for.
   *
   * @param diagonal of the inverse of X'WX, the intercept last; one 0 where it is not known
   * @param values coefficients, then the intercept where there is one
   */
  public static void summarize(LinearRegressionModel model, Dataset<?> data, double[] diagonal, double[] history, double[] values) {
    model.createSummary(data, diagonal, history, values);
  }
}
