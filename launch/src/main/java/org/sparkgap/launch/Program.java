// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What a job runs: an executable that keeps docs/program-contract.md, or any other.
 *
 * @param name as job.json names it
 * @param guard the sparkgap-rank that guards each rank
 * @param invocation how a program of the user's own is run; null for a kernel, which gets all it needs from job.json
 */
public record Program(String name, Path executable, Path guard, Invocation invocation) {
    /** Name of the program that stands around each rank, in the folder of kernels. */
    public static final String GUARD = "sparkgap-rank";

    public Program(String name, Path executable, Path guard) {
        this(name, executable, guard, null);
    }

    /**
     * A command that asks a program something before its ranks start: guarded and with little of our environment, as in
     * a job.
     */
    public static ProcessBuilder question(Path guard, Path executable, String... words) {
        List<String> command = new ArrayList<>(List.of(guard.toString(), "--exec", "--", executable.toString()));
        command.addAll(List.of(words));
        ProcessBuilder builder = new ProcessBuilder(command);
        CommandLine.apply(builder.environment(), Map.of(), RankCpus.NONE);
        return builder;
    }

    /** Whether it is a user's program, which may end without a report. */
    boolean isUsers() {
        return invocation != null;
    }
}
