// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/** A call that is under way, from its first export to its result. Seen by other threads through {@link Jobs}. */
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

    /** Says how long the call may take, all of it. */
    public void within(Duration limit) {
        this.limit = limit;
    }

    /** How long it may take from its beginning on; null where nobody has said. */
    public Duration limit() {
        return limit;
    }

    /** What is left of that; below zero once it is over. */
    public Duration left() {
        return limit.minusNanos(System.nanoTime() - start);
    }

    /** Whether somebody ends its ranks in time. */
    public boolean isWatched() {
        return watched;
    }

    void watched(boolean watched) {
        this.watched = watched;
    }

    /** Names what the call does; in the phase `launch` the program's own words count, where it has written some. */
    public void phase(String name) {
        phase = name;
    }

    /** How far the phase is, where it is no program's. */
    public void progress(long done, long of) {
        ownDone = done;
        ownOf = of;
    }

    public String kernel() {
        return kernel;
    }

    /** Where its ranks run, such as "3 ranks on 3 hosts"; empty before that is known. */
    public String place() {
        return place;
    }

    public void on(String hosts) {
        place = hosts;
    }

    /** How far it is and where, for people: "compute, iteration 12 of 20, 3 ranks on 3 hosts". */
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

    /** Where the program has written progress, its last line; the file is read only when somebody asks. */
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

    /** Interrupts the thread of the call, which then kills the job's processes where it runs one. */
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
