// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.sparkgap.store.SparkGapException;

/**
 * All processes of a job: the descendants of the process that we started, and all with the job's folder in their
 * environment.
 *
 * <p>Neither a process group nor the tree alone finds them all: mpiexec puts each rank into a session of its own, and a
 * rank whose parents died becomes a child of process 1.
 */
final class ProcessTree {
    private static final Duration DEADLINE = Duration.ofSeconds(10);
    private static final Duration PAUSE = Duration.ofMillis(5);

    private final Process root;
    private final byte[] mark;

    ProcessTree(Process root, Path jobDirectory) {
        this.root = root;
        this.mark = ("SPARKGAP_JOB=" + jobDirectory + "\0").getBytes(StandardCharsets.UTF_8);
    }

    Set<ProcessHandle> alive() {
        Set<ProcessHandle> found = new LinkedHashSet<>();
        if (root.isAlive()) {
            found.add(root.toHandle());
            root.descendants().filter(ProcessHandle::isAlive).forEach(found::add);
        }
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(Path.of("/proc"), "[1-9]*")) {
            for (Path process : processes) {
                // The handle comes first: it knows the start time, so a kill cannot hit another process that got the
                // same number.
                ProcessHandle.of(Long.parseLong(process.getFileName().toString()))
                        .filter(handle -> isMarked(process))
                        .ifPresent(found::add);
            }
        } catch (IOException | NumberFormatException noProc) {
            // Without /proc we have only the tree.
        }
        return found;
    }

    /**
     * SIGKILL to all until none is left; to guards first, so that none records the kill as one from outside. Errors:
     * code 70 if a process survives.
     */
    void kill() {
        long end = System.nanoTime() + DEADLINE.toNanos();
        Set<ProcessHandle> left = alive();
        left.stream().filter(ProcessTree::isGuard).forEach(ProcessHandle::destroyForcibly);
        while (!left.isEmpty()) {
            left.forEach(ProcessHandle::destroyForcibly);
            if (System.nanoTime() > end) {
                String pids =
                        left.stream().map(handle -> Long.toString(handle.pid())).collect(Collectors.joining(" "));
                throw new SparkGapException(
                        SparkGapException.BUG,
                        "launch",
                        "no process of the job left after SIGKILL",
                        "processes " + pids,
                        "Do look why they do not end");
            }
            LockSupport.parkNanos(PAUSE.toNanos());
            left = alive();
        }
    }

    private static boolean isGuard(ProcessHandle process) {
        return process.info()
                .command()
                .filter(path -> path.endsWith("/" + Program.GUARD))
                .isPresent();
    }

    private boolean isMarked(Path process) {
        try {
            return contains(Files.readAllBytes(process.resolve("environ")));
        } catch (IOException notOurs) {
            return false;
        }
    }

    private boolean contains(byte[] environment) {
        int start = 0;
        for (int i = 0; i < environment.length; i++) {
            if (environment[i] == 0) {
                if (i + 1 - start == mark.length && matchesAt(environment, start)) {
                    return true;
                }
                start = i + 1;
            }
        }
        return false;
    }

    private boolean matchesAt(byte[] bytes, int from) {
        for (int i = 0; i < mark.length; i++) {
            if (bytes[from + i] != mark[i]) {
                return false;
            }
        }
        return true;
    }
}
