// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.ml;

import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.regression.LinearRegressionModel;
import org.apache.spark.ml.regression.LinearRegressionTrainingSummary;
import org.apache.spark.ml.util.GeneralMLWriter;
import org.apache.spark.ml.util.HasTrainingSummary;
import org.apache.spark.sql.Dataset;
import org.sparkgap.spark.application.SparkVersions;
import scala.Option;

/**
 * Spark's LinearRegressionModel, whose summary is made when it is first asked for: Spark makes it with another pass
 * over the rows, which takes several times as long as the native fit. Copies share it. It is saved as Spark's own
 * class, which any Spark loads.
 */
public final class FittedLinearRegression extends LinearRegressionModel {
    private transient Pending pending;

    /**
     * @param data what it was fitted to
     * @param diagonal of the inverse of X'WX, the intercept last; one 0 where it is not known
     * @param history of the objective
     * @param values coefficients, then the intercept where there is one
     */
    public FittedLinearRegression(
            String uid,
            Vector coefficients,
            double intercept,
            Dataset<?> data,
            double[] diagonal,
            double[] history,
            double[] values) {
        super(uid, coefficients, intercept);
        pending = new Pending(data, diagonal, history, values);
    }

    /**
     * For ServiceLoader, by which Spark Connect finds the classes of models that it takes back from disk: `read()` is
     * LinearRegressionModel's.
     */
    public FittedLinearRegression() {
        super();
    }

    private FittedLinearRegression(FittedLinearRegression of) {
        super(of.uid(), of.coefficients(), of.intercept());
        pending = of.pending;
    }

    @Override
    public boolean hasSummary() {
        return pending != null || super.hasSummary();
    }

    @Override
    public LinearRegressionTrainingSummary summary() {
        return pending == null ? super.summary() : pending.summary(this);
    }

    @Override
    public HasTrainingSummary<LinearRegressionTrainingSummary> setSummary(
            Option<LinearRegressionTrainingSummary> summary) {
        pending = null;
        return super.setSummary(summary);
    }

    @Override
    public LinearRegressionModel copy(ParamMap extra) {
        if (pending == null) {
            return super.copy(extra);
        }
        var made = new FittedLinearRegression(this);
        copyValues(made, extra);
        made.setParent(parent());
        return made;
    }

    @Override
    public GeneralMLWriter write() {
        return plain().write();
    }

    private LinearRegressionModel plain() {
        var made = new LinearRegressionModel(uid(), coefficients(), intercept());
        copyValues(made, ParamMap.empty());
        return made;
    }

    private static final class Pending {
        private final Dataset<?> data;
        private final double[] diagonal;
        private final double[] history;
        private final double[] values;
        private LinearRegressionTrainingSummary made;

        Pending(Dataset<?> data, double[] diagonal, double[] history, double[] values) {
            this.data = data;
            this.diagonal = diagonal;
            this.history = history;
            this.values = values;
        }

        synchronized LinearRegressionTrainingSummary summary(FittedLinearRegression of) {
            if (made == null) {
                made = SparkVersions.summary(of.plain(), data, diagonal, history, values);
            }
            return made;
        }
    }
}
