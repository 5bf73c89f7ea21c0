// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

/** A segment that is not as FORMAT.md says; {@link Segment} adds the file's name on the way out. */
final class CorruptSegmentException extends RuntimeException {
    final String expected;
    final String found;

    CorruptSegmentException(String expected, String found) {
        super("expected " + expected + ", found " + found);
        this.expected = expected;
        this.found = found;
    }
}
