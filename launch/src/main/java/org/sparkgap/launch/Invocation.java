// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import org.sparkgap.store.Column;

/**
 * How a program that need not know us is run.
 *
 * @param arguments of each rank, as the program gets them, one by one: no shell looks at them
 * @param environment set over everything else
 * @param outputs by name, as job.json says them
 * @param logs a folder of the driver that exists; what the ranks printed lies there when the job is over, as
 *     rank-&lt;r&gt;.log; null for an agent
 */
public record Invocation(
        IntFunction<List<String>> arguments, Map<String, String> environment, Map<String, Output> outputs, Path logs) {
    /** @param directory exists; a program that knows us writes segments there */
    public record Output(Path directory, List<Column> columns) {}

    public Invocation {
        environment = Map.copyOf(environment);
    }

    /** What the driver knows of it; the agents know the rest, each for its host. */
    public static Invocation ofDriver(Path logs) {
        return new Invocation(rank -> List.of(), Map.of(), Map.of(), logs);
    }
}
