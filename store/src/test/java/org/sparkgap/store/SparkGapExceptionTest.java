// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class SparkGapExceptionTest {
    @Test
    void whateverTheNamesHoldItIsOneLine() {
        SparkGapException error = new SparkGapException(
                SparkGapException.DATA, "edges.a\nb", "a column", "no\r\n  such\u2028file.", "Do name another");
        assertEquals("edges.a b: expected a column, found no such file. Do name another.", error.text());
        assertEquals("[SPARKGAP {\"code\":3}] " + error.text(), error.getMessage());
    }

    @Test
    void whatGoesOnIsNotCut() {
        assertEquals(
                "t: expected a, found b, c, .... Do d.", SparkGapException.sentence("t", "a", "b, c, ...", "Do d"));
    }
}
