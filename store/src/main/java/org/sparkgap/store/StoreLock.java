// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/**
 * The locks of stores, held for the moment of creating or sweeping a home, or of changing what is published (FORMAT.md,
 * Locks).
 *
 * <p>fcntl locks belong to the process, and closing any descriptor of the file gives all of them up. So within the JVM
 * a monitor comes first, and only its holder opens the file.
 */
final class StoreLock implements AutoCloseable {
    private static final Duration DEADLINE = Duration.ofSeconds(30);
    private static final Duration PAUSE = Duration.ofMillis(5);

    private final List<FileChannel> channels = new ArrayList<>();

    private StoreLock() {}

    /**
     * Those of several stores in the order given, which is the memory tier's first; a store that is named twice is
     * locked once.
     */
    static StoreLock take(Path... stores) throws IOException {
        long end = System.nanoTime() + DEADLINE.toNanos();
        while (!HeldHomes.beginExclusive()) {
            pause(stores[0], end);
        }
        StoreLock taken = new StoreLock();
        try {
            for (Path store : new LinkedHashSet<>(List.of(stores))) {
                taken.add(store, end);
            }
            return taken;
        } catch (IOException | RuntimeException e) {
            taken.close();
            throw e;
        }
    }

    private void add(Path store, long end) throws IOException {
        FileChannel channel = FileChannel.open(
                store.resolve(".lock"),
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        channels.add(channel);
        FileLock lock = channel.tryLock();
        while (lock == null) {
            pause(store, end);
            lock = channel.tryLock();
        }
    }

    @Override
    public void close() throws IOException {
        try {
            for (FileChannel channel : channels) {
                channel.close();
            }
        } finally {
            HeldHomes.endExclusive();
        }
    }

    private static void pause(Path store, long end) {
        if (System.nanoTime() > end) {
            throw StoreErrors.busy(store, "its .lock within " + DEADLINE.toSeconds() + " s");
        }
        LockSupport.parkNanos(PAUSE.toNanos());
    }
}
