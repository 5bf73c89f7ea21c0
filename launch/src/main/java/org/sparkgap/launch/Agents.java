// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import java.util.List;

/** The agents of a job's hosts, as {@link JobRun} reaches them. Hosts are numbered in the order of their ranks. */
public interface Agents extends AutoCloseable {
    /** Requests the agents. They take a moment to come, and the launcher starts meanwhile. */
    void gather();

    /** Gives each host its part. */
    void start(List<HostPart> parts);

    /** The last report of a host, null before the first. Errors: those of an agent in this process, unchanged. */
    HostReport report(int host);

    /** When the last report of a host came, as System.nanoTime(). */
    long silentSince(int host);

    /** Nanoseconds by which this host's clock is ahead of another's, measured by its quickest message. */
    long clockAhead(int host);

    /** Whether a host has lost every executor that could be its agent. */
    boolean deserted(int host);

    /** Why an agent was lost (its host, its executor); null if none was. */
    String lost();

    /** Whether the job was cancelled. */
    boolean cancelled();

    /** Blocks until an agent has reported since the last call, or the milliseconds have passed. */
    void await(long millis) throws InterruptedException;

    /** Tells them to end their ranks now. Their last reports follow. */
    void end();

    /** Releases the agents. Ranks that still run are killed first; an interrupted thread waits for that too. */
    @Override
    void close();
}
