// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * The shared memory files that killed ranks leave in /dev/shm; MPICH gives them random names there.
 *
 * <p>A file is taken for ours to remove only when it belongs to our user, was made while the job ran, and nobody has it
 * open or mapped any more, in whichever container or PID namespace. Ranks keep theirs mapped as long as they live, so
 * such a file is nobody's.
 */
public final class MpichLeftovers {
    private static final Path SHARED_MEMORY = Path.of("/dev/shm");
    /**
     * As long as a killed process may take to let its memory go; as long as a failed call waits where other jobs' ranks
     * have such files.
     */
    private static final Duration DYING = Duration.ofSeconds(1);

    private static final Duration PAUSE = Duration.ofMillis(5);
    private static final String PATTERN = "{mpich_shm_,ucx_shm_posix_}*";

    private MpichLeftovers() {}

    /**
     * Removes what ranks have left whose agent died with its executor; for the other executors of the host, and the
     * next one.
     */
    public static void sweep() {
        sweep(FileTime.fromMillis(0));
    }

    /** Removes those made since {@code since}. */
    static void sweep(FileTime since) {
        sweepOnce(since);
    }

    /**
     * The same after ranks were killed: a process that /proc shows no more may have its files mapped a moment longer,
     * as the kernel takes its memory apart.
     */
    static void sweepAfterKill(FileTime since) {
        long end = System.nanoTime() + DYING.toNanos();
        while (!sweepOnce(since) && System.nanoTime() < end) {
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }

    /** Whether none is left. */
    private static boolean sweepOnce(FileTime since) {
        boolean all = true;
        try (DirectoryStream<Path> files = Files.newDirectoryStream(SHARED_MEMORY, PATTERN)) {
            Object me = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
            for (Path file : files) {
                all &= !isOurs(file, since, me) || removeIfNobodys(file);
            }
        } catch (IOException e) {
            // No /dev/shm, or one that cannot be read: what is left is the next job's to look at.
        }
        return all;
    }

    private static boolean isOurs(Path file, FileTime since, Object me) {
        try {
            boolean made =
                    ((FileTime) Files.getAttribute(file, "unix:ctime", LinkOption.NOFOLLOW_LINKS)).compareTo(since)
                            >= 0;
            return made
                    && Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
                    && Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS)
                            .equals(me);
        } catch (IOException gone) {
            return false;
        }
    }

    /** A process that opens it now waits until its name is gone. */
    private static boolean removeIfNobodys(Path file) throws IOException {
        try (FileLease lease = FileLease.take(file)) {
            return lease != null && Files.deleteIfExists(file);
        }
    }
}
