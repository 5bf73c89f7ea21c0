// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.profile;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.spark.SparkContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorAdded;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends the profile's sampler to executors, and writes what those say into the profile, whose folder is here. */
final class ProfileDriver implements DriverPlugin {
    static final String SAMPLER = "sampler";
    static final String PYTHON = "python";
    static final String STACKS = "stacks";

    private static final Logger LOG = LoggerFactory.getLogger(ProfileDriver.class);
    private static final long END_MS = 5000;

    private final Set<String> alive = new HashSet<>();
    private BufferedWriter out;
    private Path recordings;
    private int pieces;

    @Override
    public Map<String, String> init(SparkContext context, PluginContext plugin) {
        String place = System.getenv("SPARKGAP_PROFILE");
        if (context.isLocal() || place == null) {
            return Map.of();
        }
        Path folder = Path.of(place);
        recordings = folder.resolve("recordings");
        // Executors fetch these before they make their plug-ins, which they cannot do without.
        context.addJar(folder.resolve("plugin.jar").toString());
        context.conf().set("spark.app.initial.jar.urls", context.listJars().mkString(","));
        context.addSparkListener(new Executors());
        Path sampler = folder.resolve("sampler.pyz");
        try {
            out = Files.newBufferedWriter(folder.resolve("hosts.jsonl"));
            Map<String, String> sent = new HashMap<>();
            sent.put(SAMPLER, Base64.getEncoder().encodeToString(Files.readAllBytes(sampler)));
            sent.put(PYTHON, context.conf().get("spark.pyspark.python", "python3"));
            if (Files.isDirectory(recordings)) {
                sent.put(STACKS, "");
            }
            return sent;
        } catch (IOException e) {
            LOG.warn("profile: executors are not sampled: {}", e.toString());
            return Map.of();
        }
    }

    private final class Executors extends SparkListener {
        @Override
        public void onExecutorAdded(SparkListenerExecutorAdded event) {
            synchronized (ProfileDriver.this) {
                alive.add(event.executorId());
            }
        }

        @Override
        public void onExecutorRemoved(SparkListenerExecutorRemoved event) {
            ended(event.executorId());
        }
    }

    private synchronized void ended(String executor) {
        alive.remove(executor);
        notifyAll();
    }

    /** What an executor sends: lines of its sampler, a piece of its recording, or that there is no more. */
    @Override
    public Object receive(Object message) {
        if (message instanceof SampledLines) {
            write((SampledLines) message);
        } else if (message instanceof RecordedPiece) {
            write((RecordedPiece) message);
        } else if (message instanceof ExecutorEnded) {
            ended(((ExecutorEnded) message).executor());
            return ""; // it waits for this
        }
        return null;
    }

    /** A line here, with when they were sent by the executor's clock and came by ours. */
    private synchronized void write(SampledLines lines) {
        if (out == null) {
            return;
        }
        try {
            out.write(lines.json(System.currentTimeMillis()));
            out.newLine();
            out.flush(); // a driver that is killed loses no more than what is on its way
        } catch (IOException e) {
            LOG.warn("profile: samples of executors are lost from here on: {}", e.toString());
            close();
        }
    }

    private synchronized void write(RecordedPiece piece) {
        try {
            // The names of executors are Spark's, and digits.
            String name = String.format("executor-%s-%d.jfr", piece.executor().replaceAll("\\W", "_"), pieces++);
            Files.write(recordings.resolve(name), piece.recording());
        } catch (IOException e) {
            LOG.warn("profile: a recording of executor {} is lost: {}", piece.executor(), e.toString());
        }
    }

    /** Spark has told executors to stop, and they send what they have left. */
    @Override
    public synchronized void shutdown() {
        long deadline = System.currentTimeMillis() + END_MS;
        try {
            for (long left = END_MS; out != null && !alive.isEmpty() && left > 0; ) {
                wait(left);
                left = deadline - System.currentTimeMillis();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        close();
    }

    private void close() {
        if (out == null) {
            return;
        }
        try {
            out.close();
        } catch (IOException e) {
            LOG.warn("profile: the last samples of executors are lost: {}", e.toString());
        }
        out = null;
    }
}
