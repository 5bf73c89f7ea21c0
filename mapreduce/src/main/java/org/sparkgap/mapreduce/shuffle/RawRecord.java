// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.shuffle;

import org.apache.hadoop.io.DataInputBuffer;
import org.apache.spark.unsafe.Platform;

/** One serialized record as Hadoop's reducers and combiners read it, in buffers that the next one overwrites. */
final class RawRecord {
    private final DataInputBuffer key = new DataInputBuffer();
    private final DataInputBuffer value = new DataInputBuffer();
    private byte[] keyBytes = new byte[64];
    private byte[] valueBytes = new byte[256];

    DataInputBuffer key() {
        return key;
    }

    DataInputBuffer value() {
        return value;
    }

    /** Takes copies of a key and a value that lie anywhere: an object and an offset, or an address. */
    void load(Object keyBase, long keyFrom, int keyLength, Object valueBase, long valueFrom, int valueLength) {
        keyBytes = copied(keyBase, keyFrom, keyLength, keyBytes);
        valueBytes = copied(valueBase, valueFrom, valueLength, valueBytes);
        key.reset(keyBytes, 0, keyLength);
        value.reset(valueBytes, 0, valueLength);
    }

    private static byte[] copied(Object base, long from, int length, byte[] into) {
        int room = (int) Math.min(Integer.MAX_VALUE - 8, Math.max(length, 2L * into.length));
        byte[] copy = into.length < length ? new byte[room] : into;
        Platform.copyMemory(base, from, copy, Platform.BYTE_ARRAY_OFFSET, length);
        return copy;
    }
}
