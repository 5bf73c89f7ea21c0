// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.job;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * Spark in this JVM: the application's own where it has one, or one that the first job starts, and all later ones
 * share. Its settings are those of the JVM's properties, as spark-submit gives them, and {@code spark.*} of the job.
 */
final class Session {
    private static final String LOCAL = "local[*]";
    private static final Pattern THREADS = Pattern.compile("local(?:\\[([^,\\]]+)\\])?");
    /** Of attempts, before Spark ends a job by itself: a job's own limit comes first. */
    private static final String MOST_FAILURES = "100";

    private Session() {}

    static JavaSparkContext of(Configuration job) {
        SparkConf conf = new SparkConf();
        for (Map.Entry<String, String> entry : job) {
            if (entry.getKey().startsWith("spark.")) {
                conf.set(entry.getKey(), entry.getValue());
            }
        }
        String master = conf.get("spark.master", LOCAL);
        conf.setIfMissing("spark.app.name", "sparkgap mapreduce");
        conf.setIfMissing("spark.task.maxFailures", MOST_FAILURES);
        Matcher local = THREADS.matcher(master);
        if (local.matches()) {
            // Local mode tries a task once, if its master does not say otherwise; and nobody has asked for its pages.
            String threads = local.group(1) == null ? "1" : local.group(1);
            master = "local[" + threads + "," + MOST_FAILURES + "]";
            conf.setIfMissing("spark.ui.enabled", "false");
        }
        conf.set("spark.master", master);
        return JavaSparkContext.fromSparkContext(SparkContext.getOrCreate(conf));
    }
}
