// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.sparkgap.store.SparkGapException;

/** A job was ended by its deadline or by a cancel: it is not tried again, even if an executor was lost meanwhile. */
public final class StoppedException extends JobException {
    private static final long serialVersionUID = 1L;

    /** The error of a call that its deadline ended. */
    public static StoppedException late(RunningJob running, String host, List<String> logTail) {
        return late(running, running.limit(), host, logTail);
    }

    /** The error of a cancelled job. */
    static StoppedException cancelled(Job job) {
        return new StoppedException(
                SparkGapException.sentence(
                        "job " + job.id() + " of " + job.program().name(),
                        "to run to its end",
                        "that it was cancelled",
                        "Do run it again"),
                null,
                List.of());
    }

    static StoppedException late(RunningJob running, Duration limit, String host, List<String> logTail) {
        JobStatus status = running.status();
        String where = status.iteration() > 0 ? status.phase() + ", iteration " + status.iteration() : status.phase();
        return new StoppedException(
                SparkGapException.sentence(
                        "timeout_s of " + running.kernel(),
                        "the job to end within " + limit.toMillis() / 1e3 + " s",
                        "it running (phase " + where + ")",
                        "Do raise timeout_s or spark.sparkgap.launch.timeout"),
                host,
                logTail);
    }

    /** @param host may be null if unknown */
    public StoppedException(String text, String host, List<String> logTail) {
        this(text, host, logTail, null);
    }

    private StoppedException(String text, String host, List<String> logTail, Path logs) {
        super(SparkGapException.LOST, text, null, host, null, logTail, logs);
    }

    @Override
    JobException withLogs(String text, Path folder) {
        return new StoppedException(text, host(), logTail(), folder);
    }
}
