// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.application;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.spark.ml.regression.LinearRegressionModel;
import org.apache.spark.ml.regression.LinearRegressionTrainingSummary;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.execution.SparkPlanInfo;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart;
import org.sparkgap.store.SparkGapException;
import scala.Option;
import scala.Tuple2;
import scala.collection.immutable.Map$;
import scala.collection.immutable.Set;

/**
 * What differs between the versions of Spark 4 that one jar runs on. It is compiled against the newest; what an older
 * one has in another form is found by its shape. Nothing else in sparkgap looks at Spark's version.
 */
public final class SparkVersions {
    /** That {@code make matrix} has run on. */
    static final List<String> TESTED = List.of("4.0", "4.1", "4.2", "4.3");

    private SparkVersions() {}

    /** Errors: code 2 where Spark is not of version 4, for which the jar is compiled. */
    public static void requireSpark4(String found) {
        if (!found.startsWith("4.")) {
            throw refused(range(), found, "Do pip install 'pyspark>=4.0,<5', or take a Spark 4 with Scala 2.13");
        }
    }

    /**
     * Errors: code 2 where Spark is not of version 4, or of none that was tested and {@code tries}, the value of
     * {@code setting}, is false.
     */
    public static void check(String found, boolean tries, String setting) {
        requireSpark4(found);
        if (!tries && TESTED.stream().noneMatch(tested -> found.matches(Pattern.quote(tested) + "\\b.*"))) {
            throw refused(
                    range() + ", on which sparkgap was tested",
                    found,
                    "Do take one of them, or set " + setting + "=try");
        }
    }

    private static String range() {
        return "Spark " + TESTED.get(0) + " to " + TESTED.get(TESTED.size() - 1);
    }

    private static SparkGapException refused(String expected, String found, String action) {
        return new SparkGapException(SparkGapException.ARGUMENTS, "spark", expected, "Spark " + found, action);
    }

    /** A query has begun, or has a new description. Later versions have more optional fields at its end. */
    public static SparkListenerEvent started(
            long id, Option<Object> root, String text, SparkPlanInfo plan, long time, Set<String> tags) {
        Object[] inAll = {id, root, text, "", text, plan, time, Map$.MODULE$.empty(), tags};
        Constructor<?> made = widest(SparkListenerSQLExecutionStart.class);
        Object[] values = new Object[made.getParameterCount()];
        System.arraycopy(inAll, 0, values, 0, inAll.length);
        for (int i = inAll.length; i < values.length; i++) {
            if (made.getParameterTypes()[i] != Option.class) {
                throw unknown(made);
            }
            values[i] = Option.empty();
        }
        return (SparkListenerEvent) create(made, values);
    }

    /**
     * The summary of a linear regression. Spark 4.0's has the model; later ones have the name of the weights' column
     * and the model's numbers in its place.
     *
     * @param data what it was fitted to
     * @param diagonal of the inverse of X'WX, the intercept last
     * @param history of the objective
     * @param values coefficients, then the intercept where there is one
     */
    public static LinearRegressionTrainingSummary summary(
            LinearRegressionModel model, Dataset<?> data, double[] diagonal, double[] history, double[] values) {
        Tuple2<LinearRegressionModel, String> found = model.findSummaryModelAndPredictionCol();
        Dataset<Row> predictions = found._1().transform(data);
        Constructor<?> made = widest(LinearRegressionTrainingSummary.class);
        String weights = model.isDefined(model.weightCol()) ? model.getWeightCol() : "";
        Object[] old = {predictions, found._2(), model.getLabelCol(), model.getFeaturesCol(), model, diagonal, history};
        Object[] current = {
            predictions,
            found._2(),
            model.getLabelCol(),
            model.getFeaturesCol(),
            weights,
            model.numFeatures(),
            model.getFitIntercept(),
            diagonal,
            history,
            values
        };
        return (LinearRegressionTrainingSummary) create(made, made.getParameterCount() == old.length ? old : current);
    }

    private static Constructor<?> widest(Class<?> type) {
        Constructor<?> widest = type.getConstructors()[0];
        for (Constructor<?> other : type.getConstructors()) {
            if (other.getParameterCount() > widest.getParameterCount()) {
                widest = other;
            }
        }
        return widest;
    }

    private static Object create(Constructor<?> made, Object[] values) {
        try {
            return made.newInstance(values);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new IllegalStateException(e.getCause());
        } catch (ReflectiveOperationException | IllegalArgumentException e) {
            throw unknown(made);
        }
    }

    private static LinkageError unknown(Constructor<?> found) {
        return new IncompatibleClassChangeError("sparkgap knows no Spark with " + found);
    }
}
