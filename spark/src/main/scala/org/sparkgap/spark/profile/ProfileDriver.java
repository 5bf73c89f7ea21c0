// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.profile;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Map;
import org.apache.spark.SparkContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends the profile's sampler to executors, and writes what those say into the profile, whose folder is here. */
final class ProfileDriver implements DriverPlugin {
    static final String SAMPLER = "sampler";
    static final String PYTHON = "python";

    private static final Logger LOG = LoggerFactory.getLogger(ProfileDriver.class);
    private BufferedWriter out;

    @Override
    public Map<String, String> init(SparkContext context, PluginContext plugin) {
        String place = System.getenv("SPARKGAP_PROFILE");
        if (context.isLocal() || place == null) {
            return Map.of();
        }
        Path folder = Path.of(place);
        // Executors fetch these before they make their plug-ins, which they cannot do without.
        context.addJar(folder.resolve("plugin.jar").toString());
        context.conf().set("spark.app.initial.jar.urls", context.listJars().mkString(","));
        Path sampler = folder.resolve("sampler.pyz");
        try {
            out = Files.newBufferedWriter(folder.resolve("hosts.jsonl"));
            return Map.of(
                    SAMPLER,
                    Base64.getEncoder().encodeToString(Files.readAllBytes(sampler)),
                    PYTHON,
                    context.conf().get("spark.pyspark.python", "python3"));
        } catch (IOException e) {
            LOG.warn("profile: executors are not sampled: {}", e.toString());
            return Map.of();
        }
    }

    /** Lines of an executor's sampler: a line here, with when they were sent by its clock and came by ours. */
    @Override
    public synchronized Object receive(Object message) {
        if (out != null && message instanceof SampledLines) {
            SampledLines lines = (SampledLines) message;
            try {
                out.write(lines.json(System.currentTimeMillis()));
                out.newLine();
                out.flush(); // a driver that is killed loses no more than what is on its way
            } catch (IOException e) {
                LOG.warn("profile: samples of executors are lost from here on: {}", e.toString());
                close();
            }
        }
        return null;
    }

    @Override
    public synchronized void shutdown() {
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
