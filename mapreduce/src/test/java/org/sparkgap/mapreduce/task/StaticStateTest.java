// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.task;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.hadoop.io.IntWritable;
import org.junit.jupiter.api.Test;

/** Which classes a task may leave to the next one. */
class StaticStateTest {
    enum Kind {
        A,
        B
    }

    @SuppressWarnings("unused")
    static class Constants {
        static final int MOST = 3;
        static final String NAME = "name";
        static final Pattern WORDS = Pattern.compile("\\w+");
        static final Kind KIND = Kind.A;
        int own;

        int length(Kind kind) {
            assert own > 0;
            return switch (kind) {
                case A -> 1;
                case B -> 2;
            };
        }
    }

    @SuppressWarnings("unused")
    static class Counter {
        static int count;
    }

    @SuppressWarnings("unused")
    static class Collected {
        static final List<String> SEEN = new ArrayList<>();
    }

    /** A mapper may write into it, though most do not. */
    @SuppressWarnings("unused")
    static class One {
        static final IntWritable ONE = new IntWritable(1);
    }

    @Test
    void onlyWhatNothingChangesIsConstant() {
        assertTrue(StaticState.isConstant(Constants.class));
        assertTrue(StaticState.isConstant(Kind.class));
        assertFalse(StaticState.isConstant(Counter.class));
        assertFalse(StaticState.isConstant(Collected.class));
        assertFalse(StaticState.isConstant(One.class));
    }
}
