// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.sparkgap.store.SparkGapException;

/**
 * mpiexec's manual launcher: it prints the command to run on each host, one a line, and starts nothing itself.
 *
 * <p>Its port does not authenticate. An attacker who reaches it could make any other launcher start a program. This one
 * only prints another line, which no process reads.
 */
final class ManualLaunch {
    /** The first word of what mpiexec prints for a manual launcher. */
    static final String MARK = "HYDRA_LAUNCH";

    static final Duration START = Duration.ofSeconds(60);
    private static final String LINE = MARK + ": ";
    private static final String END = MARK + "_END";

    private ManualLaunch() {}

    /**
     * mpiexec itself, with a small environment, because it sends all of it to any process that claims to be a proxy,
     * regardless of its options.
     */
    static Process mpiexec(List<String> command, JobFolder folder, String program) {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment()
                .keySet()
                .removeIf(name ->
                        !name.startsWith("MPIEXEC_") && !name.startsWith("HYDRA_") && !name.equals("LD_LIBRARY_PATH"));
        builder.environment().put("SPARKGAP_JOB", folder.path().toString());
        builder.environment().put("TMPDIR", CommandLine.temporary(folder.path()).toString());
        // Otherwise it describes the machine in a file in /tmp, regardless of TMPDIR, and the file stays if it is
        // killed.
        builder.environment().put("HWLOC_XMLFILE", "/dev/null");
        return started(builder, folder, program);
    }

    /**
     * The command of each host's proxy, in the order of hosts. Errors: JobException if mpiexec ends or prints nothing.
     */
    static List<String> commands(Job job, JobFolder folder, Process mpiexec) throws InterruptedException {
        long end = System.nanoTime() + START.toNanos();
        while (true) {
            boolean over = !mpiexec.isAlive() || System.nanoTime() > end;
            List<String> lines = lines(folder.launcherLog());
            if (lines.contains(END)) {
                List<String> commands = lines.stream()
                        .filter(line -> line.startsWith(LINE))
                        .map(line -> line.substring(LINE.length()))
                        .toList();
                if (commands.size() == job.hosts().size()) {
                    return commands;
                }
                over = true;
            }
            if (over) {
                throw FirstCause.of(folder, job, mpiexec.isAlive() ? JobRun.STILL_RUNNING : mpiexec.exitValue());
            }
            Thread.sleep(1);
        }
    }

    /** That command under a guard, with this host's path of the proxy. Errors: code 5 if this host has none. */
    static List<String> guarded(String command, Program program, Mpi mpi) {
        List<String> guarded = new ArrayList<>(
                List.of(program.guard().toString(), "--exec", "--", mpi.proxy().toString()));
        List<String> words = List.of(command.split(" +"));
        guarded.addAll(words.subList(1, words.size()));
        return guarded;
    }

    /**
     * A process of the launcher, in the job's folder. Its input is empty, and its output goes to the launcher's log.
     */
    static Process started(ProcessBuilder builder, JobFolder folder, String program) {
        builder.environment().remove("GOMP_CPU_AFFINITY");
        builder.directory(folder.path().toFile())
                .redirectInput(new File("/dev/null"))
                .redirectErrorStream(true)
                .redirectOutput(
                        ProcessBuilder.Redirect.appendTo(folder.launcherLog().toFile()));
        try {
            return builder.start();
        } catch (IOException e) {
            throw new SparkGapException(
                    SparkGapException.LOST,
                    SparkGapException.sentence(
                            "launch of " + program,
                            "to start " + builder.command().get(0),
                            String.valueOf(e.getMessage()),
                            "Do install sparkgap again or set spark.sparkgap.launch.kernelDir"),
                    e);
        }
    }

    /**
     * The complete lines of a growing file, none before the file exists. It reads all bytes before it splits them,
     * because a line reader would take an incomplete line at the end for a line.
     */
    static List<String> lines(Path growing) {
        try {
            return Files.readString(growing).lines().toList();
        } catch (IOException notYet) {
            return List.of();
        }
    }
}
