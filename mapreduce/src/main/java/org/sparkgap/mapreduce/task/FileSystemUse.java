// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.task;

import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapreduce.FileSystemCounter;

/**
 * What this thread reads and writes of file systems. Hadoop's task counts all of its JVM, which here has other tasks
 * too.
 */
final class FileSystemUse {
    private record Bytes(long read, long written, long reads, long largeReads, long writes) {}

    private final Map<String, Bytes> before;

    private FileSystemUse(Map<String, Bytes> before) {
        this.before = before;
    }

    static FileSystemUse begin() {
        return new FileSystemUse(now());
    }

    /** Puts this thread's own figures in place of those that Hadoop's task counted. */
    void countInto(Counters counters) {
        now().forEach((scheme, after) -> {
            Bytes first = before.getOrDefault(scheme, new Bytes(0, 0, 0, 0, 0));
            counters.findCounter(scheme, FileSystemCounter.BYTES_READ).setValue(after.read - first.read);
            counters.findCounter(scheme, FileSystemCounter.BYTES_WRITTEN).setValue(after.written - first.written);
            counters.findCounter(scheme, FileSystemCounter.READ_OPS).setValue(after.reads - first.reads);
            counters.findCounter(scheme, FileSystemCounter.LARGE_READ_OPS)
                    .setValue(after.largeReads - first.largeReads);
            counters.findCounter(scheme, FileSystemCounter.WRITE_OPS).setValue(after.writes - first.writes);
        });
    }

    @SuppressWarnings("deprecation")
    private static Map<String, Bytes> now() {
        Map<String, Bytes> found = new HashMap<>();
        for (FileSystem.Statistics each : FileSystem.getAllStatistics()) {
            FileSystem.Statistics.StatisticsData of = each.getThreadStatistics();
            Bytes use = new Bytes(
                    of.getBytesRead(), of.getBytesWritten(), of.getReadOps(), of.getLargeReadOps(), of.getWriteOps());
            found.merge(
                    each.getScheme(),
                    use,
                    (a, b) -> new Bytes(
                            a.read + b.read,
                            a.written + b.written,
                            a.reads + b.reads,
                            a.largeReads + b.largeReads,
                            a.writes + b.writes));
        }
        return found;
    }
}
