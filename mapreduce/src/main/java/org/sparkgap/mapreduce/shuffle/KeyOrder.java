// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.shuffle;

import java.nio.ByteOrder;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.WritableUtils;
import org.apache.spark.unsafe.Platform;

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

        @Override
        int compare(Object a, long aFrom, int aLength, Object b, long bFrom, int bLength) {
            int left = WritableUtils.decodeVIntSize(Platform.getByte(a, aFrom));
            int right = WritableUtils.decodeVIntSize(Platform.getByte(b, bFrom));
            return bytes(a, aFrom + left, aLength - left, b, bFrom + right, bLength - right);
        }
    },
    /** Bytes behind a length of four. */
    BYTES(false) {
        @Override
        long prefix(byte[] key, int from, int length) {
            return firstBytes(key, from + Integer.BYTES, length - Integer.BYTES);
        }

        @Override
        int compare(Object a, long aFrom, int aLength, Object b, long bFrom, int bLength) {
            int header = Integer.BYTES;
            return bytes(a, aFrom + header, aLength - header, b, bFrom + header, bLength - header);
        }
    },
    /** A number of four bytes: the prefix is all of it, in its upper half. */
    INT(true) {
        @Override
        long prefix(byte[] key, int from, int length) {
            return firstBytes(key, from, length) ^ Long.MIN_VALUE;
        }

        @Override
        int compare(Object a, long aFrom, int aLength, Object b, long bFrom, int bLength) {
            return Integer.compare(big(Platform.getInt(a, aFrom)), big(Platform.getInt(b, bFrom)));
        }
    },
    /** A number of eight bytes. */
    LONG(true) {
        @Override
        long prefix(byte[] key, int from, int length) {
            return firstBytes(key, from, length) ^ Long.MIN_VALUE;
        }

        @Override
        int compare(Object a, long aFrom, int aLength, Object b, long bFrom, int bLength) {
            return Long.compare(big(Platform.getLong(a, aFrom)), big(Platform.getLong(b, bFrom)));
        }
    },
    /** Any other: the comparator alone. */
    UNKNOWN(false) {
        @Override
        long prefix(byte[] key, int from, int length) {
            return 0;
        }

        @Override
        int compare(Object a, long aFrom, int aLength, Object b, long bFrom, int bLength) {
            throw new UnsupportedOperationException();
        }
    };

    private static final boolean IS_LITTLE = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;

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

    /** As the comparator has it, for keys that lie anywhere: an object and an offset, or an address. */
    abstract int compare(Object a, long aFrom, int aLength, Object b, long bFrom, int bLength);

    /** Whether the upper {@code bits} of the prefix are the whole key, so that no comparator is asked. */
    boolean isWholeIn(int bits) {
        return isWhole && (this == INT ? Integer.SIZE : Long.SIZE) <= bits;
    }

    private static int bytes(Object a, long aFrom, int aLength, Object b, long bFrom, int bLength) {
        int common = Math.min(aLength, bLength);
        int at = 0;
        for (; at + Long.BYTES <= common; at += Long.BYTES) {
            long left = Platform.getLong(a, aFrom + at);
            long right = Platform.getLong(b, bFrom + at);
            if (left != right) {
                return Long.compareUnsigned(big(left), big(right));
            }
        }
        for (; at < common; ++at) {
            int difference = (Platform.getByte(a, aFrom + at) & 0xFF) - (Platform.getByte(b, bFrom + at) & 0xFF);
            if (difference != 0) {
                return difference;
            }
        }
        return Integer.compare(aLength, bLength);
    }

    private static long big(long number) {
        return IS_LITTLE ? Long.reverseBytes(number) : number;
    }

    private static int big(int number) {
        return IS_LITTLE ? Integer.reverseBytes(number) : number;
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
