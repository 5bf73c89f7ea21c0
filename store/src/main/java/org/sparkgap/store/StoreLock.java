// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/**
 * The store's own lock, held for the moment of creating or sweeping a home.
 *
 * <p>fcntl locks belong to the process, and closing any descriptor of the file gives all of them up. So within the JVM a
 * monitor comes first, and only its holder opens the file.
 */
final class StoreLock implements AutoCloseable {
  private static final Duration DEADLINE = Duration.ofSeconds(30);
  private static final Duration PAUSE = Duration.ofMillis(5);

  private final FileChannel channel;

  private StoreLock(FileChannel channel) {
    this.channel = channel;
  }

  static StoreLock take(Path store) throws IOException {
    long end = System.nanoTime() + DEADLINE.toNanos();
    while (!HeldHomes.beginExclusive()) {
      pause(store, end);
    }
    FileChannel channel = null;
    try {
      channel = FileChannel.open(store.resolve(".lock"), Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      FileLock lock = channel.tryLock();
      while (lock == null) {
        pause(store, end);
        lock = channel.tryLock();
      }
      return new StoreLock(channel);
    } catch (IOException | RuntimeException e) {
      if (channel != null) {
        channel.close();
      }
      HeldHomes.endExclusive();
      throw e;
    }
  }

  @Override
  public void close() throws IOException {
    try {
      channel.close();
    } finally {
      HeldHomes.endExclusive();
    }
  }

  private static void pause(Path store, long end) {
    if (System.nanoTime() > end) {
      throw StoreErrors.unusable(store, "the store's .lock within " + DEADLINE.toSeconds() + " s", "it held by another process", null);
    }
    LockSupport.parkNanos(PAUSE.toNanos());
  }
}
