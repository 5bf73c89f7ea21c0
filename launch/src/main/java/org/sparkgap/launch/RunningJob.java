// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/** A call that runs, from its export to its result. Other threads see it through {@link Jobs}. */
public final class RunningJob implements AutoCloseable {
    public static final String LAUNCH = "launch";
    private static final ObjectMapper JSON = new ObjectMapper();

    private final String id;
    private final String kernel;
    private final Thread thread = Thread.currentThread();
    private final long start = System.nanoTime();
    private volatile String phase = "export";
    private volatile String place = "";
    private volatile Path progress;
    private volatile long ownDone;
    private volatile long ownOf;
    private volatile Duration limit;
    private volatile boolean watched;

    RunningJob(String id, String kernel) {
        this.id = id;
        this.kernel = kernel;
    }

    public String id() {
        return id;
    }

    /** Sets the deadline of the whole call. */
    public void within(Duration limit) {
        this.limit = limit;
    }

    /** The time that the whole call may take; null before {@link #within} set it. */
    public Duration limit() {
        return limit;
    }

    /** The time left until the deadline; negative after it. */
    public Duration left() {
        return limit.minusNanos(System.nanoTime() - start);
    }

    /** Whether {@link JobRun} now watches the deadline. */
    public boolean isWatched() {
        return watched;
    }

    void watched(boolean watched) {
        this.watched = watched;
    }

    /** Names the phase. In the phase `launch`, progress that the program has written takes its place. */
    public void phase(String name) {
        phase = name;
    }

    /** Progress of a phase that runs in this JVM, not in a program. */
    public void progress(long done, long of) {
        ownDone = done;
        ownOf = of;
    }

    public String kernel() {
        return kernel;
    }

    /** Where its ranks run, such as "3 ranks on 3 hosts"; empty until placed. */
    public String place() {
        return place;
    }

    public void on(String hosts) {
        place = hosts;
    }

    /** Phase, progress and place for people: "compute, iteration 12 of 20, 3 ranks on 3 hosts". */
    public String text() {
        JobStatus now = status();
        return now.phase()
                + (now.of() > 0 ? ", iteration " + now.iteration() + " of " + now.of() : "")
                + (place.isEmpty() ? "" : ", " + place);
    }

    void follow(Path progressFile) {
        progress = progressFile;
        phase = LAUNCH;
    }

    /** The program's last line of progress if it wrote one, else our own. Each call reads the file. */
    public JobStatus status() {
        double elapsed = (System.nanoTime() - start) / 1e9;
        Path file = progress;
        JsonNode last = file == null || !phase.equals(LAUNCH) ? null : lastLine(file);
        if (last == null) {
            return new JobStatus(id, kernel, phase, ownDone, ownOf, -1, elapsed);
        }
        return new JobStatus(
                id,
                kernel,
                last.path("phase").asText(phase),
                last.path("iteration").asLong(),
                last.path("of").asLong(),
                last.path("residual").asDouble(-1),
                elapsed);
    }

    /** Interrupts the thread of the call, which then kills the job's processes. */
    public void cancel() {
        thread.interrupt();
    }

    @Override
    public void close() {
        Jobs.end(this);
    }

    private static JsonNode lastLine(Path file) {
        try {
            String line = JobFolder.lastLine(file);
            return line == null ? null : JSON.readTree(line);
        } catch (IOException notJson) {
            return null;
        }
    }
}
