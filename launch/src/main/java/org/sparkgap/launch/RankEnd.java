// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.util.concurrent.TimeUnit;

/**
 * How a rank ended, by the records of its guard and of the rank itself.
 *
 * @param recorded whether the guard wrote a record; a guard that was killed too writes none
 * @param asked whether the job's own clean-up may have ended it: its guard had passed a signal on, or had lost the
 *     process above it
 * @param when time of the record in nanoseconds since 1970, to find out who was first
 * @param errorCode of the rank's own error file, 0 if it wrote none
 */
record RankEnd(
        int rank,
        boolean recorded,
        int code,
        int signal,
        boolean asked,
        String host,
        long when,
        int errorCode,
        String errorMessage) {
    static RankEnd read(JobFolder folder, int rank) {
        JsonNode exit = JobFolder.json(folder.exitFile(rank));
        JsonNode error = JobFolder.json(folder.errorFile(rank));
        boolean recorded = exit != null;
        return new RankEnd(
                rank,
                recorded,
                recorded ? exit.path("code").asInt() : 0,
                recorded ? exit.path("signal").asInt() : 0,
                recorded && exit.path("asked").asBoolean(),
                recorded ? exit.path("host").asText(null) : null,
                recorded ? modified(folder, rank) : Long.MAX_VALUE,
                error == null ? 0 : error.path("code").asInt(),
                error == null ? null : error.path("message").asText(null));
    }

    boolean failed() {
        return !recorded || code != 0 || signal != 0;
    }

    /**
     * A process outside the job killed it, or the kernel did when memory ran out. No failure of another rank brings
     * this about.
     */
    boolean killedFromOutside() {
        return !asked && (signal == Signals.KILL || signal == Signals.TERM);
    }

    private static long modified(JobFolder folder, int rank) {
        try {
            return Files.getLastModifiedTime(folder.exitFile(rank)).to(TimeUnit.NANOSECONDS);
        } catch (IOException gone) {
            return Long.MAX_VALUE;
        }
    }
}
