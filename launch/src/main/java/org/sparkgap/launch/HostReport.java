// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import java.io.Serializable;
import java.util.List;

/**
 * What an agent reports about its host's part.
 *
 * @param started whether all ranks of the host have been started
 * @param progress the last line that rank 0 wrote; null if it is on another host or has written none
 * @param rankFailed whether a rank of the host has failed: before MPI_Init, no other process notices this while other
 *     ranks of the host run
 * @param ended whether the proxy and all its ranks have ended
 * @param proxyStatus the proxy's exit status, if it has ended
 * @param files files of the job's folder, sent when the ranks have ended or one has failed: how each ended, and the
 *     ends of their logs
 * @param failure why the agent could not do its part, else null
 * @param failureCode its code as of SparkGapException, else 0
 * @param sent when, in nanoseconds since 1970 by the host's clock
 */
public record HostReport(
        boolean started,
        String progress,
        boolean rankFailed,
        boolean ended,
        int proxyStatus,
        List<LeftFile> files,
        int failureCode,
        String failure,
        long sent)
        implements Serializable {
    /** @param changed in nanoseconds since 1970 by the host's clock */
    public record LeftFile(String name, byte[] content, long changed) implements Serializable {}

    public static HostReport failed(int code, String why) {
        return new HostReport(false, null, true, true, -1, List.of(), code, why, JobFolder.now());
    }

    public static HostReport running(boolean started, String progress) {
        return new HostReport(started, progress, false, false, 0, List.of(), 0, null, JobFolder.now());
    }
}
