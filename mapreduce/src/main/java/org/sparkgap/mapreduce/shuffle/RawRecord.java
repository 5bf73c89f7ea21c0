// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.shuffle;

import org.apache.hadoop.io.DataInputBuffer;
import org.apache.spark.unsafe.Platform;

/** One serialized record as Hadoop's reducers and combiners read it, in buffers that the next one overwrites. */
final class RawRecord {
    /** Bytes up to which a loop is faster than the JVM's call. */
    private static final int SHORT = 64;

    private final DataInputBuffer key = new DataInputBuffer();
    private final DataInputBuffer value = new DataInputBuffer();
    private byte[] keyBytes = new byte[64];
    private int keyLength;
    private byte[] valueBytes = new byte[256];

    DataInputBuffer key() {
        return key;
    }

    DataInputBuffer value() {
        return value;
    }

    /** Takes copies of a key and a value that lie anywhere: an object and an offset, or an address. */
    void load(Object keyBase, long keyFrom, int keyLength, Object valueBase, long valueFrom, int valueLength) {
        loadKey(keyBase, keyFrom, keyLength);
        loadValue(valueBase, valueFrom, valueLength);
    }

    /** Takes a copy of a key, which stays for the values that come. */
    void loadKey(Object base, long from, int length) {
        keyBytes = copied(base, from, length, keyBytes);
        keyLength = length;
        key.reset(keyBytes, 0, length);
    }

    void loadValue(Object base, long from, int length) {
        valueBytes = copied(base, from, length, valueBytes);
        key.reset(keyBytes, 0, keyLength); // whoever read it left it at its end
        value.reset(valueBytes, 0, length);
    }

    private static byte[] copied(Object base, long from, int length, byte[] into) {
        int room = (int) Math.min(Integer.MAX_VALUE - 8, Math.max(length, 2L * into.length));
        byte[] copy = into.length < length ? new byte[room] : into;
        copy(base, from, copy, Platform.BYTE_ARRAY_OFFSET, length);
        return copy;
    }

    /** Copies bytes between places that do not overlap, each an object and an offset, or an address. */
    static void copy(Object base, long from, Object toBase, long to, int length) {
        if (length > SHORT) {
            Platform.copyMemory(base, from, toBase, to, length);
            return;
        }
        int at = 0;
        for (; at <= length - Long.BYTES; at += Long.BYTES) {
            Platform.putLong(toBase, to + at, Platform.getLong(base, from + at));
        }
        for (; at < length; ++at) {
            Platform.putByte(toBase, to + at, Platform.getByte(base, from + at));
        }
    }
}
