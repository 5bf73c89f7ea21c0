// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.profile;

import java.util.Map;
import org.apache.spark.TaskFailedReason;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Marks tasks in recordings; and sends the driver what a sampler beside this process says and what Java records. */
final class ProfileExecutor implements ExecutorPlugin {
    private static final Logger LOG = LoggerFactory.getLogger(ProfileExecutor.class);

    private PluginContext plugin;
    private TaskMarks marks;
    private SamplerProcess sampler;
    private RecordedPieces pieces;

    @Override
    public void init(PluginContext context, Map<String, String> extra) {
        plugin = context;
        // The other plug-in marks tasks too.
        if (!plugin.conf().get("spark.plugins", "").contains("org.sparkgap.spark.SparkGapPlugin")) {
            marks = new TaskMarks();
        }
        if (!extra.containsKey(ProfileDriver.SAMPLER)) {
            return;
        }
        sampler = SamplerProcess.start(plugin, extra.get(ProfileDriver.SAMPLER), extra.get(ProfileDriver.PYTHON));
        if (extra.containsKey(ProfileDriver.STACKS)) {
            pieces = RecordedPieces.start(plugin);
        }
        // Told to stop by the driver, an executor does so on a thread that its JVM does not wait for when the worker
        // ends it meanwhile.
        Runtime.getRuntime().addShutdownHook(new Thread(this::shutdown));
    }

    @Override
    public void onTaskStart() {
        if (marks != null) {
            marks.begin();
        }
    }

    @Override
    public void onTaskSucceeded() {
        if (marks != null) {
            marks.end();
        }
    }

    @Override
    public void onTaskFailed(TaskFailedReason why) {
        onTaskSucceeded();
    }

    /** Whoever comes second waits for the first. */
    @Override
    public synchronized void shutdown() {
        if (sampler != null) {
            sampler.end();
        }
        if (pieces != null) {
            pieces.end();
        }
        if (sampler != null || pieces != null) {
            sampler = null;
            pieces = null;
            try {
                plugin.ask(new ExecutorEnded(plugin.executorID()));
            } catch (Exception e) {
                LOG.warn("profile: the driver did not wait for executor {}: {}", plugin.executorID(), e.toString());
            }
        }
    }
}
