// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;

/** The calls under way in this JVM. */
public final class Jobs {
    private static final AtomicLong NUMBERS = new AtomicLong();
    private static final Map<Long, RunningJob> RUNNING = new ConcurrentSkipListMap<>();

    private Jobs() {}

    /** Closing the job takes it off the list. Call it on the thread that will run the job. */
    public static RunningJob begin(String kernel) {
        long number = NUMBERS.incrementAndGet();
        RunningJob job = new RunningJob(Long.toString(number), kernel);
        RUNNING.put(number, job);
        return job;
    }

    public static List<JobStatus> running() {
        return RUNNING.values().stream().map(RunningJob::status).toList();
    }

    /** Ends every job of this JVM: for its shutdown. */
    public static void cancelAll() {
        RUNNING.values().forEach(RunningJob::cancel);
    }

    static void end(RunningJob job) {
        RUNNING.remove(Long.parseLong(job.id()));
    }
}
