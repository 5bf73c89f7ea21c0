// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.profile;

import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.SparkPlugin;

/**
 * The part of {@code sparkgap profile} inside of Spark: executors that are no children of the profiler have a sampler
 * beside them, wherever they run, and the driver puts what it says into the profile. It changes nothing else.
 */
public final class ProfilePlugin implements SparkPlugin {
    @Override
    public DriverPlugin driverPlugin() {
        return new ProfileDriver();
    }

    @Override
    public ExecutorPlugin executorPlugin() {
        return new ProfileExecutor();
    }
}
