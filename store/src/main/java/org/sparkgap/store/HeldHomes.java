// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import java.nio.file.Path;
import java.util.Properties;

/**
 * The homes that this JVM holds, and the mutex for opening lock files.
 *
 * <p>Closing any descriptor of a lock file would release this process's own fcntl lock on it, so a sweep must know its
 * own homes without opening them. Spark Connect may load this class once per class loader. So the state lives in the
 * JVM's system properties, which exist once, and not in a static field.
 */
final class HeldHomes {
    private static final String HOME = "sparkgap.home.";
    private static final String EXCLUSIVE = "sparkgap.store.exclusive";

    private HeldHomes() {}

    static void add(Path home) {
        System.setProperty(HOME + home, "held");
    }

    static void remove(Path home) {
        System.clearProperty(HOME + home);
    }

    static boolean contains(Path home) {
        return System.getProperty(HOME + home) != null;
    }

    /** Whether this thread got the turn. Properties is a concurrent map: putIfAbsent is one step. */
    static boolean beginExclusive() {
        Properties all = System.getProperties();
        return all.putIfAbsent(EXCLUSIVE, Thread.currentThread().getName()) == null;
    }

    static void endExclusive() {
        System.clearProperty(EXCLUSIVE);
    }
}
