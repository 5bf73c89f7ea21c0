// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import java.util.List;

/** The agents of a job's hosts, as {@link JobRun} reaches them. Hosts are numbered in the order of their ranks. */
public interface Agents extends AutoCloseable {
    /** Asks for them: that takes them a moment, in which the launcher starts. */
    void gather();

    /** Gives each host its part. */
    void start(List<HostPart> parts);

    /**
     * The last word of a host, null where there was none yet. Errors: those of an agent in this process, as they were
     * thrown there.
     */
    HostReport report(int host);

    /** Since when a host has said nothing, in System.nanoTime(). */
    long silentSince(int host);

    /** Nanoseconds by which this host's clock is ahead of another's, measured by its quickest message. */
    long clockAhead(int host);

    /** Whether a host has no executor any more that could be its agent. */
    boolean deserted(int host);

    /** Why an agent is gone (its host, its executor), null where all are there. */
    String lost();

    /** Whether the job was cancelled. */
    boolean cancelled();

    /** Blocks until an agent has reported since the last call, or the milliseconds have passed. */
    void await(long millis) throws InterruptedException;

    /** Has them end their ranks now: their last words follow. */
    void end();

    /** Lets the agents go. Ranks that run still are killed first; a thread that was interrupted waits for that too. */
    @Override
    void close();
}
