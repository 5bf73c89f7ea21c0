// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.job;

import java.io.IOException;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.MRJobConfig;
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
    private static final String ENCRYPTION = "spark.io.encryption.enabled";
    /** Of attempts, before Spark ends a job by itself: a job's own limit comes first. */
    private static final String MOST_FAILURES = "100";

    private Session() {}

    /** Whether all of Spark is in this process, so that nothing but this host needs to see a job's files. */
    static boolean isLocal(Configuration job) {
        return THREADS.matcher(settings(job).get("spark.master", LOCAL)).matches();
    }

    static JavaSparkContext of(Configuration job) throws IOException {
        SparkConf conf = settings(job);
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
        boolean isSecret = job.getBoolean(MRJobConfig.MR_ENCRYPTED_INTERMEDIATE_DATA, false);
        if (isSecret) {
            conf.setIfMissing(ENCRYPTION, "true");
        }
        SparkContext spark = SparkContext.getOrCreate(conf);
        if (isSecret && !spark.conf().getBoolean(ENCRYPTION, false)) {
            throw new IOException(MRJobConfig.MR_ENCRYPTED_INTERMEDIATE_DATA + ": expected a session with " + ENCRYPTION
                    + "=true, found one without. Do start it with that setting.");
        }
        return JavaSparkContext.fromSparkContext(spark);
    }

    private static SparkConf settings(Configuration job) {
        SparkConf conf = new SparkConf();
        for (Map.Entry<String, String> entry : job) {
            if (entry.getKey().startsWith("spark.")) {
                conf.set(entry.getKey(), entry.getValue());
            }
        }
        return conf;
    }
}
