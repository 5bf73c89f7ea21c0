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
 * mpiexec's manual launcher: it prints a line for each host, with what is to be run there, and starts nothing itself.
 *
 * <p>Its port asks nobody who he is. Who reaches it could have any other launcher start a program of his; this one only
 * prints another line, which nobody reads.
 */
final class ManualLaunch {
    /** The first word of what mpiexec prints for a manual launcher. */
    static final String MARK = "HYDRA_LAUNCH";

    static final Duration START = Duration.ofSeconds(60);
    private static final String LINE = MARK + ": ";
    private static final String END = MARK + "_END";

    private ManualLaunch() {}

    /**
     * mpiexec itself, with a small environment: it sends all of it to any process that claims to be a proxy, whatever
     * its options say.
     */
    static Process mpiexec(List<String> command, JobFolder folder, String program) {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment()
                .keySet()
                .removeIf(name ->
                        !name.startsWith("MPIEXEC_") && !name.startsWith("HYDRA_") && !name.equals("LD_LIBRARY_PATH"));
        builder.environment().put("SPARKGAP_JOB", folder.path().toString());
        builder.environment().put("TMPDIR", CommandLine.temporary(folder.path()).toString());
        // Else it describes the machine in a file in /tmp, whatever TMPDIR says, which stays there when it is killed.
        builder.environment().put("HWLOC_XMLFILE", "/dev/null");
        return started(builder, folder, program);
    }

    /**
     * The command of each host's proxy, in the order of hosts. Errors: JobException where mpiexec ends or says nothing.
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

    /** That command under a guard, by our own path of the proxy. Errors: code 5 where this host has none. */
    static List<String> guarded(String command, Program program, Mpi mpi) {
        List<String> guarded = new ArrayList<>(
                List.of(program.guard().toString(), "--exec", "--", mpi.proxy().toString()));
        List<String> words = List.of(command.split(" +"));
        guarded.addAll(words.subList(1, words.size()));
        return guarded;
    }

    /**
     * A process of the launcher, in the job's folder: it reads nothing, and what it says goes to the launcher's log.
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
     * The lines of a file that still grows, none where there is no file yet. All bytes are read before the first line
     * is cut: a reader of lines takes what it finds at the end of the file for a line, and reads on when more has come.
     */
    static List<String> lines(Path growing) {
        try {
            return Files.readString(growing).lines().toList();
        } catch (IOException notYet) {
            return List.of();
        }
    }
}
