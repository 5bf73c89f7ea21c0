// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

/** Every buffer of a segment starts at a multiple of 64 bytes from the start of the file (FORMAT.md). */
final class Alignment {
    static final int BYTES = 64;

    private Alignment() {}

    static long up(long bytes) {
        return (bytes + BYTES - 1) & -BYTES;
    }

    static boolean holds(long offset) {
        return (offset & (BYTES - 1)) == 0;
    }
}
