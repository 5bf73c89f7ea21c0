// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.ml;

import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.connect.plugin.MLBackendPlugin;

/**
 * Native fits for clients of Spark Connect that know nothing of sparkgap: a server that is started with
 * {@code spark.connect.ml.backend.classes=org.sparkgap.ml.ConnectBackend} takes our estimators where a client names
 * Spark's.
 *
 * <p>Models need no other name, for ours are Spark's. LDA stays Spark's: clients expect a distributed model with
 * optimizer "em", and only the fit knows the optimizer.
 */
public final class ConnectBackend implements MLBackendPlugin {
    private static final String SPARKS = "org.apache.spark.ml.";
    private static final Map<String, String> NATIVE = Map.of(
            SPARKS + "classification.LogisticRegression", "org.sparkgap.ml.classification.LogisticRegression",
            SPARKS + "classification.NaiveBayes", "org.sparkgap.ml.classification.NaiveBayes",
            SPARKS + "clustering.KMeans", "org.sparkgap.ml.clustering.KMeans",
            SPARKS + "regression.LinearRegression", "org.sparkgap.ml.regression.LinearRegression");

    @Override
    public Optional<String> transform(String name) {
        return Optional.ofNullable(NATIVE.get(name));
    }
}
