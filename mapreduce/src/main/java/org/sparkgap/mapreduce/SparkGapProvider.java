// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.protocol.ClientProtocol;
import org.apache.hadoop.mapreduce.protocol.ClientProtocolProvider;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sparkgap.mapreduce.chain.ChainFileSystem;
import org.sparkgap.mapreduce.job.Session;
import org.sparkgap.mapreduce.job.SparkJobs;
import org.sparkgap.mapreduce.shared.SharedJobs;

/**
 * By which Hadoop's clients find this engine: it takes jobs whose {@code mapreduce.framework.name} is {@code sparkgap},
 * and leaves all others to Hadoop. With the system property {@value #FORCE} it takes those of any name: for test suites
 * that set the name themselves.
 */
public final class SparkGapProvider extends ClientProtocolProvider {
    /** The name of this framework. */
    public static final String NAME = "sparkgap";

    /** {@code true} has every job run here. */
    public static final String FORCE = "sparkgap.mapreduce.force";

    private static final String DEFAULTS = "mapred-default.xml";
    private static final String HEAP = "-Xm";
    private static final int POLL_MS = 100;
    private static final Logger LOG = LoggerFactory.getLogger("sparkgap");

    @Override
    public ClientProtocol create(Configuration conf) {
        if (!NAME.equals(conf.get(MRConfig.FRAMEWORK_NAME)) && !Boolean.getBoolean(FORCE)) {
            return null;
        }
        // Hadoop's client asks each second how far a job is, and each five whether it has ended.
        for (String interval : List.of(Job.COMPLETION_POLL_INTERVAL_KEY, Job.PROGRESS_MONITOR_POLL_INTERVAL_KEY)) {
            String[] sources = conf.getPropertySources(interval);
            if (sources == null || sources[0].equals(DEFAULTS)) {
                conf.setInt(interval, POLL_MS);
            }
        }
        warn(conf);
        ClientProtocol shared = SharedJobs.of(conf);
        return shared == null ? new SparkJobs(conf) : shared;
    }

    /** Of what a job asks for in vain. */
    private static void warn(Configuration conf) {
        String files = FileSystem.getDefaultUri(conf).getScheme();
        if (ChainFileSystem.IN_MEMORY.equals(Session.asked(conf).get(ChainFileSystem.CHAIN)) && !"hdfs".equals(files)) {
            LOG.warn(
                    "mapreduce: {}={} has no effect on files of {}: only HDFS keeps them in memory",
                    ChainFileSystem.CHAIN,
                    ChainFileSystem.IN_MEMORY,
                    files);
        }
        for (String name :
                List.of(JobConf.MAPRED_TASK_JAVA_OPTS, MRJobConfig.MAP_JAVA_OPTS, MRJobConfig.REDUCE_JAVA_OPTS)) {
            List<String> options = Stream.of(conf.get(name, "").split("\\s+"))
                    .filter(option -> !option.isEmpty() && !option.startsWith(HEAP))
                    .toList();
            if (!options.isEmpty()) {
                LOG.warn(
                        "mapreduce: {}: {} have no effect: tasks run in JVMs of Spark, whose options are"
                                + " spark.executor.extraJavaOptions",
                        name,
                        options);
            }
        }
    }

    /** No server has an address. */
    @Override
    public ClientProtocol create(InetSocketAddress address, Configuration conf) {
        return null;
    }

    @Override
    public void close(ClientProtocol protocol) {}
}
