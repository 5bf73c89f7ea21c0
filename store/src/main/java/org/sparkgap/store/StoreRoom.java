// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashSet;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * The limit of a host's memory tier: a quota over the files of all homes in the store, and no more than the host can
 * spare.
 *
 * <p>All processes of the host share the quota without talking: each counts the files. Between two counts it knows only
 * of its own writes, so several that write at once can exceed the quota by what they write within {@link #FRESH_NANOS};
 * and a count misses what a thread has taken and not yet written, a batch at most.
 */
public final class StoreRoom {
    private static final long FRESH_NANOS = 200_000_000;

    private final Path store;
    private final long quota;
    private final LongSupplier spareBytes;
    private long used;
    private long countedAt;
    private boolean counted;

    /**
     * @param quota bytes
     * @param spareBytes bytes that the host can give before it is short of memory
     */
    public StoreRoom(Path store, long quota, LongSupplier spareBytes) {
        this.store = store;
        this.quota = quota;
        this.spareBytes = spareBytes;
    }

    /**
     * Reserves room for the next bytes to write; false if there is none.
     *
     * @param evict makes some room; false if it cannot
     */
    public synchronized boolean take(long bytes, BooleanSupplier evict) {
        if (!counted || used + bytes > quota || System.nanoTime() - countedAt > FRESH_NANOS) {
            count();
        }
        while (used + bytes > quota || spareBytes.getAsLong() < bytes) {
            if (bytes > quota || !evict.getAsBoolean()) {
                return false;
            }
            count();
        }
        used += bytes;
        return true;
    }

    /** Bytes of the files of a store; a file with several names counts once, links not at all. */
    public static long usedBytes(Path store) {
        long[] bytes = {0};
        Set<Object> seen = new HashSet<>();
        try {
            Files.walkFileTree(store, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                    if (attributes.isRegularFile()
                            && (attributes.fileKey() == null || seen.add(attributes.fileKey()))) {
                        bytes[0] += attributes.size();
                    }
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFileFailed(Path file, IOException e) {
                    // It was removed since its folder was listed.
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult postVisitDirectory(Path directory, IOException e) {
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (NoSuchFileException e) {
            return 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes[0];
    }

    private void count() {
        used = usedBytes(store);
        countedAt = System.nanoTime();
        counted = true;
    }
}
