// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import com.sun.jna.Library;
import com.sun.jna.Native;
import java.nio.file.Path;

/**
 * Tells whether any process has a file open or mapped, even in another container or PID namespace, where /proc does not
 * show it.
 *
 * <p>The kernel grants a write lease (fcntl F_SETLEASE) only on a file that no other process has open or mapped. While
 * the lease is held, a process that opens the file waits. Java has no call for it.
 */
final class FileLease implements AutoCloseable {
    private static final int F_SETSIG = 10;
    private static final int F_SETLEASE = 1024;
    private static final int F_WRLCK = 1;
    /**
     * The signal when a process wants to open the file. It is ignored by default; the usual one, SIGIO, would end the
     * JVM.
     */
    private static final int SIGURG = 23;

    private static final int O_RDONLY = 0;
    private static final int O_NONBLOCK = 0x800;
    private static final int O_CLOEXEC = 0x80000;

    private final int descriptor;

    private FileLease(int descriptor) {
        this.descriptor = descriptor;
    }

    /** Constants of the C library. */
    public interface Calls extends Library {
        int open(String path, int flags);

        int fcntl(int descriptor, int command, Object... argument);

        int close(int descriptor);
    }

    private static final class Loaded {
        private static final Calls C = Native.load("c", Calls.class);
    }

    /** The lease; null if a process has the file open, it is gone or another user's, or the kernel cannot say. */
    static FileLease take(Path file) {
        Calls c;
        try {
            c = Loaded.C;
        } catch (LinkageError noJna) {
            return null;
        }
        int descriptor = c.open(file.toString(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        if (descriptor < 0) {
            return null;
        }
        if (c.fcntl(descriptor, F_SETSIG, SIGURG) == 0 && c.fcntl(descriptor, F_SETLEASE, F_WRLCK) == 0) {
            return new FileLease(descriptor);
        }
        c.close(descriptor);
        return null;
    }

    @Override
    public void close() {
        Loaded.C.close(descriptor);
    }
}
