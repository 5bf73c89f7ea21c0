// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.shuffle;

import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.WritableUtils;

/**
 * How serialized keys follow each other: by a number of their first bytes, as far as that decides, and then by the
 * job's own comparator. Only comparators of Hadoop itself have such a number, for only their order is known here;
 * whoever derives one from them may have changed it.
 */
enum KeyOrder {
    /** Bytes behind a length of variable size. */
    TEXT(false) {
        @Override
        long prefix(byte[] key, int from, int length) {
            int header = WritableUtils.decodeVIntSize(key[from]);
            return firstBytes(key, from + header, length - header);
        }
    },
    /** Bytes behind a length of four. */
    BYTES(false) {
        @Override
        long prefix(byte[] key, int from, int length) {
            return firstBytes(key, from + Integer.BYTES, length - Integer.BYTES);
        }
    },
    /** A number of four bytes: the prefix is all of it, in its upper half. */
    INT(true) {
        @Override
        long prefix(byte[] key, int from, int length) {
            return firstBytes(key, from, length) ^ Long.MIN_VALUE;
        }
    },
    /** A number of eight bytes. */
    LONG(true) {
        @Override
        long prefix(byte[] key, int from, int length) {
            return firstBytes(key, from, length) ^ Long.MIN_VALUE;
        }
    },
    /** Any other: the comparator alone. */
    UNKNOWN(false) {
        @Override
        long prefix(byte[] key, int from, int length) {
            return 0;
        }
    };

    private final boolean isWhole;

    KeyOrder(boolean isWhole) {
        this.isWhole = isWhole;
    }

    /** The one of this comparator. */
    static KeyOrder of(RawComparator<?> comparator) {
        Class<?> type = comparator.getClass();
        if (type == Text.Comparator.class) {
            return TEXT;
        }
        if (type == BytesWritable.Comparator.class) {
            return BYTES;
        }
        if (type == IntWritable.Comparator.class) {
            return INT;
        }
        return type == LongWritable.Comparator.class ? LONG : UNKNOWN;
    }

    /** A number that is lower, without sign, where the key comes first; equal ones say nothing. */
    abstract long prefix(byte[] key, int from, int length);

    /** Whether the upper {@code bits} of the prefix are the whole key, so that no comparator is asked. */
    boolean isWholeIn(int bits) {
        return isWhole && (this == INT ? Integer.SIZE : Long.SIZE) <= bits;
    }

    /** Up to eight bytes as the highest of a number, the rest zeroes. */
    private static long firstBytes(byte[] bytes, int from, int length) {
        long number = 0;
        for (int i = 0; i < Math.min(length, Long.BYTES); ++i) {
            number |= (bytes[from + i] & 0xFFL) << (Long.SIZE - Byte.SIZE * (i + 1));
        }
        return number;
    }
}
