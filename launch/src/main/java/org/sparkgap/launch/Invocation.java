// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import org.sparkgap.store.Column;

/**
 * How a user's program is run.
 *
 * @param arguments of each rank, one by one; no shell reads them
 * @param environment set over everything else
 * @param outputs by name, as job.json says them
 * @param logs an existing folder of the driver for the ranks' output, rank-&lt;r&gt;.log, after the job; null for an
 *     agent
 */
public record Invocation(
        IntFunction<List<String>> arguments, Map<String, String> environment, Map<String, Output> outputs, Path logs) {
    /** @param directory exists; a program that knows us writes segments there */
    public record Output(Path directory, List<Column> columns) {}

    public Invocation {
        environment = Map.copyOf(environment);
    }

    /** The driver's part; each agent adds what holds on its host. */
    public static Invocation ofDriver(Path logs) {
        return new Invocation(rank -> List.of(), Map.of(), Map.of(), logs);
    }
}
