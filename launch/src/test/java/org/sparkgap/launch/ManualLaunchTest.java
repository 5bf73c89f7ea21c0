// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What mpiexec prints for a manual launcher, read while it is written. */
class ManualLaunchTest {
    private static final int TIMES = 4000;
    private static final List<String> WHOLE =
            List.of("HYDRA_LAUNCH: /bin/hydra_pmi_proxy --control-port here:1 --proxy-id 0", "HYDRA_LAUNCH_END");

    @TempDir
    Path folder;

    /** mpiexec writes a word at a time; a look between two of them once took the first half of the line for a line. */
    @Test
    void aLineIsWholeOrNotThere() throws Exception {
        AtomicInteger looksAtHalf = new AtomicInteger();
        for (int i = 0; i < TIMES; i++) {
            Path log = Files.writeString(folder.resolve("log-" + i), "HYDRA_LAUNCH: ");
            CompletableFuture<List<String>> read = CompletableFuture.supplyAsync(() -> {
                while (true) {
                    List<String> lines = ManualLaunch.lines(log);
                    if (lines.contains("HYDRA_LAUNCH_END")) {
                        return lines;
                    }
                    looksAtHalf.incrementAndGet();
                }
            });
            int seen = looksAtHalf.get();
            while (looksAtHalf.get() == seen && !read.isDone()) {
                Thread.onSpinWait();
            }
            Files.writeString(
                    log,
                    WHOLE.get(0).substring("HYDRA_LAUNCH: ".length()) + "\n" + WHOLE.get(1) + "\n",
                    StandardOpenOption.APPEND);
            assertEquals(WHOLE, read.get(60, TimeUnit.SECONDS));
            Files.delete(log);
        }
    }
}
