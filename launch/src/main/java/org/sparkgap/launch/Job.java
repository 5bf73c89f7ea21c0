// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.sparkgap.store.Manifest;

/**
 * One run of a program over tables of this host.
 *
 * @param id unique in this home
 * @param directory the job's folder, not made yet
 * @param host the name of this host as the segments of the inputs have it
 * @param parameters complete; values are null, Boolean, Long, Double, String or a list of String
 * @param inputs by the Spec's name; null = not given
 * @param outputDirectory exists
 * @param timeout from start to end
 */
public record Job(
    String id,
    Program program,
    Path directory,
    int ranks,
    int threads,
    String host,
    Map<String, ?> parameters,
    Map<String, Manifest> inputs,
    Path outputDirectory,
    long segmentBytes,
    Duration timeout) {}
