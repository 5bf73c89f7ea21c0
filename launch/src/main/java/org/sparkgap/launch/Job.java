// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.sparkgap.store.Manifest;

/**
 * One run of a program over tables of its hosts.
 *
 * @param id unique in this home
 * @param directory the job's folder on this host, not made yet
 * @param rankHosts the host of each rank, ranks of one host side by side; the same names as in the inputs' segments
 * @param parameters complete; values are null, Boolean, Long, Double, String or a list of String
 * @param inputs by the Spec's name; null = not given
 * @param timeout from start to end
 */
public record Job(
        String id,
        Program program,
        Path directory,
        int threads,
        List<String> rankHosts,
        Map<String, ?> parameters,
        Map<String, Manifest> inputs,
        long segmentBytes,
        Duration timeout) {

    public int ranks() {
        return rankHosts.size();
    }

    /** Its job.json, which lacks the folders of outputs: each host has its own. */
    public String json() {
        return JobFile.text(this);
    }

    /** The hosts, each once, in the order of their ranks. */
    public List<String> hosts() {
        return rankHosts.stream().distinct().toList();
    }
}
