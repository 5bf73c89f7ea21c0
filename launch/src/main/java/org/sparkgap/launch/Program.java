// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import java.io.File;
import java.nio.file.Path;
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
     * A command that asks a user's program something before there is a job: guarded and with little of our environment,
     * as in a job. The caller reads what it prints.
     */
    public static ProcessBuilder look(Path guard, Path executable, String word) {
        ProcessBuilder builder = new ProcessBuilder(guard.toString(), "--exec", "--", executable.toString(), word);
        CommandLine.apply(builder.environment(), Map.of(), RankCpus.NONE);
        return builder.redirectInput(new File("/dev/null")).redirectError(ProcessBuilder.Redirect.DISCARD);
    }

    /** Whether it is a user's program, which may end without a report. */
    boolean isUsers() {
        return invocation != null;
    }
}
