// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.profile;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.spark.TaskFailedReason;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Marks tasks in recordings, and runs the sampler of this process beside it. The sampler ends when its stdin does. */
final class ProfileExecutor implements ExecutorPlugin {
    private static final Logger LOG = LoggerFactory.getLogger(ProfileExecutor.class);
    private static final long SEND_MS = 1000;
    private static final long END_MS = 2000;

    private TaskMarks marks;
    private Process sampler;
    private Thread reader;
    private Path file;

    @Override
    public void init(PluginContext plugin, Map<String, String> extra) {
        // The other plug-in marks tasks too.
        if (!plugin.conf().get("spark.plugins", "").contains("org.sparkgap.spark.SparkGapPlugin")) {
            marks = new TaskMarks();
        }
        String code = extra.get(ProfileDriver.SAMPLER);
        if (code == null) {
            return;
        }
        try {
            file = Files.createTempFile(Path.of("").toAbsolutePath(), "sparkgap-sampler-", ".pyz");
            Files.write(file, Base64.getDecoder().decode(code));
            sampler = new ProcessBuilder(
                            extra.get(ProfileDriver.PYTHON),
                            file.toString(),
                            Long.toString(ProcessHandle.current().pid()))
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            reader = new Thread(() -> pass(plugin), "sparkgap-sampler");
            reader.setDaemon(true);
            reader.start();
        } catch (IOException e) {
            LOG.warn("profile: executor {} is not sampled: {}", plugin.executorID(), e.toString());
            end();
        }
    }

    /** Lines of the sampler, each second to the driver. */
    private void pass(PluginContext plugin) {
        List<String> lines = new ArrayList<>();
        long sent = System.currentTimeMillis();
        try (BufferedReader in =
                new BufferedReader(new InputStreamReader(sampler.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                Files.deleteIfExists(file); // it runs, and has read all of it
                lines.add(line);
                long now = System.currentTimeMillis();
                if (now - sent >= SEND_MS) {
                    plugin.send(new SampledLines(plugin.executorID(), now, lines));
                    lines.clear();
                    sent = now;
                }
            }
            if (!lines.isEmpty()) {
                plugin.send(new SampledLines(plugin.executorID(), System.currentTimeMillis(), lines));
            }
        } catch (IOException | RuntimeException e) {
            LOG.warn("profile: samples of executor {} are lost: {}", plugin.executorID(), e.toString());
        }
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

    @Override
    public void shutdown() {
        end();
    }

    private void end() {
        try {
            if (sampler != null) {
                sampler.getOutputStream().close();
                reader.join(END_MS);
                sampler.destroy();
                sampler.waitFor(END_MS, TimeUnit.MILLISECONDS);
            }
            if (file != null) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            LOG.warn("profile: the sampler's end: {}", e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
