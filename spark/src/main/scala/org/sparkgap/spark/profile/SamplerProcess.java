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
import java.util.concurrent.TimeUnit;
import org.apache.spark.api.plugin.PluginContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The profile's sampler beside this process, whose lines go to the driver. It ends when its stdin does. */
final class SamplerProcess {
    private static final Logger LOG = LoggerFactory.getLogger(SamplerProcess.class);
    private static final long SEND_MS = 1000;
    private static final long END_MS = 2000;

    private final PluginContext plugin;
    private final Path file;
    private final Process process;
    private final Thread reader;

    private SamplerProcess(PluginContext plugin, Path file, Process process) {
        this.plugin = plugin;
        this.file = file;
        this.process = process;
        reader = new Thread(this::pass, "sparkgap-sampler");
        reader.setDaemon(true);
        reader.start();
    }

    /**
     * Null where it cannot be started.
     *
     * @param code the sampler, a zipped program of Python in base64
     */
    static SamplerProcess start(PluginContext plugin, String code, String python) {
        Path file = null;
        try {
            file = Files.createTempFile(Path.of("").toAbsolutePath(), "sparkgap-sampler-", ".pyz");
            Files.write(file, Base64.getDecoder().decode(code));
            String own = Long.toString(ProcessHandle.current().pid());
            ProcessBuilder.Redirect log = ProcessBuilder.Redirect.INHERIT;
            Process process = new ProcessBuilder(python, file.toString(), own)
                    .redirectError(log)
                    .start();
            return new SamplerProcess(plugin, file, process);
        } catch (IOException e) {
            LOG.warn("profile: executor {} is not sampled: {}", plugin.executorID(), e.toString());
            remove(file);
            return null;
        }
    }

    /** Each second what there is. */
    private void pass() {
        List<String> lines = new ArrayList<>();
        long sent = System.currentTimeMillis();
        try (BufferedReader in =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
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

    /** Its last lines are on their way then. */
    void end() {
        try {
            process.getOutputStream().close();
            reader.join(END_MS);
            process.destroy();
            process.waitFor(END_MS, TimeUnit.MILLISECONDS);
        } catch (IOException e) {
            LOG.warn("profile: the sampler's end: {}", e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        remove(file);
    }

    private static void remove(Path file) {
        try {
            if (file != null) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            LOG.warn("profile: {} stays: {}", file, e.toString());
        }
    }
}
