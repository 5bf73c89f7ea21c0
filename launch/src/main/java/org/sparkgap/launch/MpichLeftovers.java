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
 * <p>A file is removed only if it belongs to our user, was made while the job ran, and no process has it open or
 * mapped, in any container or PID namespace. Ranks keep their files mapped as long as they live, so no rank uses such a
 * file.
 */
public final class MpichLeftovers {
    private static final Path SHARED_MEMORY = Path.of("/dev/shm");
    /**
     * The time that a killed process may take to release its memory. A failed call waits this long if ranks of other
     * jobs have such files.
     */
    private static final Duration DYING = Duration.ofSeconds(1);

    private static final Duration PAUSE = Duration.ofMillis(5);
    private static final String PATTERN = "{mpich_shm_,ucx_shm_posix_}*";

    private MpichLeftovers() {}

    /**
     * Removes the files of ranks whose agent died with its executor. Other executors of the host call it, and the next
     * one.
     */
    public static void sweep() {
        sweep(FileTime.fromMillis(0));
    }

    /** Removes those made since {@code since}. */
    static void sweep(FileTime since) {
        sweepOnce(since);
    }

    /**
     * The same after ranks were killed: a process that /proc no longer shows may keep its files mapped a moment longer,
     * while the kernel frees its memory.
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
            // There is no readable /dev/shm; the next job looks again.
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
