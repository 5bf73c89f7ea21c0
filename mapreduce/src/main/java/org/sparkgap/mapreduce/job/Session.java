// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.job;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.sparkgap.mapreduce.chain.ChainFileSystem;

/**
 * Spark in this JVM: the application's own where it has one, or one that the first job starts, and all later ones
 * share. Its settings are those of the JVM's properties, as spark-submit gives them, and {@code spark.*} of the job.
 */
public final class Session {
    private static final String PREFIX = "spark.";
    private static final String LOCAL = "local[*]";
    private static final Pattern THREADS = Pattern.compile("local(?:\\[([^,\\]]+)\\])?");
    private static final String JARS = "spark.jars";
    private static final String ENCRYPTION = "spark.io.encryption.enabled";
    /** Of attempts, before Spark ends a job by itself: a job's own limit comes first. */
    private static final String MOST_FAILURES = "100";

    private Session() {}

    /** Whether all of Spark is in this process, so that nothing but this host needs to see a job's files. */
    static boolean isLocal(Configuration job) {
        return isLocal(asked(job).getOrDefault("spark.master", LOCAL));
    }

    /** Whether a master has all of Spark in one process. */
    public static boolean isLocal(String master) {
        return master.equals("local") || master.startsWith("local[");
    }

    /** Starts it, and says at which master. */
    public static String start(Configuration job) throws IOException {
        return of(job).sc().master();
    }

    /** Settings of Spark that a job's configuration has, or else this JVM's properties, by name. No Spark is loaded. */
    public static Map<String, String> asked(Configuration job) {
        Map<String, String> found = new TreeMap<>();
        for (String name : System.getProperties().stringPropertyNames()) {
            if (name.startsWith(PREFIX)) {
                found.put(name, System.getProperty(name));
            }
        }
        for (Map.Entry<String, String> entry : job) {
            if (entry.getKey().startsWith(PREFIX)) {
                found.put(entry.getKey(), entry.getValue());
            }
        }
        return found;
    }

    /** The file that a class came from. */
    public static String jarOf(Class<?> type) {
        try {
            return new File(type.getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toString();
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    static JavaSparkContext of(Configuration job) throws IOException {
        SparkConf conf = settings(job);
        ChainFileSystem.check(conf.get(ChainFileSystem.CHAIN, ChainFileSystem.WRITTEN));
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
        if (!local.matches()) {
            addOwnJar(conf);
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

    /** Executors need it, whoever started Spark. */
    private static void addOwnJar(SparkConf conf) {
        String own = jarOf(Session.class);
        String jars = conf.get(JARS, "");
        if (!jars.contains(own)) {
            conf.set(JARS, jars.isEmpty() ? own : jars + "," + own);
        }
    }

    private static SparkConf settings(Configuration job) {
        SparkConf conf = new SparkConf();
        asked(job).forEach(conf::set);
        return conf;
    }
}
