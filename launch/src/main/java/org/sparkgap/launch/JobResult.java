// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import java.util.List;
import java.util.Map;
import org.sparkgap.store.Column;
import org.sparkgap.store.GraphFiles;
import org.sparkgap.store.SegmentInfo;

/**
 * The result of a job that succeeded.
 *
 * @param segments of all ranks in rank order
 * @param graph all ranks' arcs if the result is a graph, else null
 * @param launchSeconds wall time of the job less the slowest rank's build, compute and write
 * @param peakRssBytes of all ranks together
 * @param figures other figures that rank 0 reported, by name
 */
public record JobResult(
        List<Column> columns,
        List<SegmentInfo> segments,
        GraphFiles graph,
        double launchSeconds,
        double buildSeconds,
        double computeSeconds,
        double writeSeconds,
        long peakRssBytes,
        long iterations,
        Boolean converged,
        double residual,
        Map<String, double[]> figures) {

    /** For a program that reports nothing: only its duration is known. */
    static JobResult silent(double wallSeconds) {
        return new JobResult(List.of(), List.of(), null, 0, 0, wallSeconds, 0, 0, 0, true, 0, Map.of());
    }

    static JobResult of(List<RankReport> ranks, double wallSeconds) {
        RankReport first = ranks.get(0);
        RankReport slowest =
                ranks.stream().max((a, b) -> Double.compare(own(a), own(b))).orElseThrow();
        return new JobResult(
                first.columns(),
                ranks.stream().flatMap(r -> r.segments().stream()).toList(),
                graph(ranks),
                Math.max(0, wallSeconds - own(slowest)),
                slowest.buildSeconds(),
                slowest.computeSeconds(),
                slowest.writeSeconds(),
                ranks.stream().mapToLong(RankReport::peakRssBytes).sum(),
                first.iterations(),
                first.converged(),
                first.residual(),
                first.figures());
    }

    private static GraphFiles graph(List<RankReport> ranks) {
        GraphFiles first = ranks.get(0).graph();
        return first == null
                ? null
                : new GraphFiles(
                        first.directed(),
                        first.weight(),
                        first.edges(),
                        ranks.stream().flatMap(r -> r.graph().in().stream()).toList(),
                        ranks.stream().flatMap(r -> r.graph().out().stream()).toList());
    }

    private static double own(RankReport rank) {
        return rank.buildSeconds() + rank.computeSeconds() + rank.writeSeconds();
    }
}
