// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.sparkgap.store.SparkGapException;

/**
 * The output of the ranks of the last kernels that failed. It lies beside the jobs' folders, until the process that
 * started the jobs ends.
 */
final class KeptLogs {
    static final String ENDING = "-logs";
    private static final int JOBS = 16;
    private static final int MOST_BYTES = 1 << 20;
    private static final FileAttribute<?> AS_PRIVATE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    private KeptLogs() {}

    /**
     * The error with the folder of the kept logs. Unchanged if there are no logs, or if they cannot help: bad data, or
     * a cancelled job.
     */
    static JobException named(JobException error, Job job, JobFolder folder) {
        boolean mute = error instanceof LostHostException
                || error.rank() == null && error.logTail().isEmpty();
        if (mute
                || error.code() != SparkGapException.LOST && error.code() != SparkGapException.BUG
                || job.program().isUsers()) {
            return error;
        }
        try {
            Path kept = keep(folder.path());
            return kept == null ? error : error.withLogs(kept);
        } catch (IOException e) {
            return error; // no room: the error has the last lines
        }
    }

    /** Keeps the end of each rank's log in a folder beside the job's; null if no rank has printed anything. */
    private static Path keep(Path job) throws IOException {
        Path kept = job.resolveSibling(job.getFileName() + ENDING);
        try (DirectoryStream<Path> logs = Files.newDirectoryStream(
                job, log -> log.getFileName().toString().matches("rank-[0-9]+\\.log") && Files.size(log) > 0)) {
            for (Path log : logs) {
                if (!Files.isDirectory(kept)) {
                    Files.createDirectory(kept, AS_PRIVATE);
                }
                try (RandomAccessFile in = new RandomAccessFile(log.toFile(), "r")) {
                    Files.write(kept.resolve(log.getFileName()), JobFolder.end(in, MOST_BYTES));
                }
            }
        }
        forgetOld(job.getParent());
        return Files.isDirectory(kept) ? kept : null;
    }

    private static void forgetOld(Path jobs) throws IOException {
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(jobs, "*" + ENDING)) {
            folders.forEach(found::add);
        }
        found.sort(Comparator.comparingLong((Path folder) -> folder.toFile().lastModified())
                .reversed());
        for (Path old : found.subList(Math.min(JOBS, found.size()), found.size())) {
            new JobFolder(old).delete();
        }
    }
}
