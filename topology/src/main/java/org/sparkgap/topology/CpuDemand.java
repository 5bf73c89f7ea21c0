// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

/**
 * A request for processors: for threads of this process, or of processes that it starts, each process's threads close
 * together.
 *
 * @param ranks processes, at least 1
 * @param threads of each, at least 1
 * @param level how close to its processors a thread is kept, not NONE
 * @param apart each rank in another NUMA node, as long as there are some with enough room
 */
public record CpuDemand(int ranks, int threads, AffinityLevel level, boolean apart) {
    /** Errors: HwlocException where nothing is wanted. */
    public CpuDemand {
        if (ranks < 1 || threads < 1 || level == AffinityLevel.NONE) {
            throw HwlocException.refused(
                    "claim of processors",
                    "at least one thread and a level",
                    ranks + " x " + threads + " at " + level,
                    "claim nothing");
        }
    }

    /** For threads of this process. */
    public static CpuDemand of(int threads, AffinityLevel level) {
        return new CpuDemand(1, threads, level, false);
    }

    long all() {
        return (long) ranks * threads;
    }
}
