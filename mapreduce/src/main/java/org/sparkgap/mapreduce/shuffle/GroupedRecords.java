// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.shuffle;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.util.Progress;
import org.apache.spark.memory.TaskMemoryManager;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.map.BytesToBytesMap;

/**
 * Records of a map task by key, for its combiner, which needs equal keys beside each other and no order: Spark's own
 * hash map of bytes holds them, in memory of Spark's pool, up to {@value #MOST} bytes. Keys that the job's comparator
 * takes for equal must have equal bytes.
 *
 * <p>In the map a key is the partition, its length and its bytes; a value is its length and its bytes; both end at a
 * multiple of eight.
 */
final class GroupedRecords {
    private static final long MOST = 32 << 20;
    private static final long PAGE = 4 << 20;
    private static final int FIRST = 1 << 12;
    private static final int KEY_HEADER = 2 * Integer.BYTES;
    private static final int VALUE_HEADER = Integer.BYTES;

    /** Where the map has a key. */
    private record Key(Object base, long offset, int length) {}

    private final BytesToBytesMap map;
    private final List<List<Key>> keys = new ArrayList<>();
    private long bytes;
    private byte[] keyBytes = new byte[128];
    private byte[] valueBytes = new byte[128];

    /** Errors: SparkOutOfMemoryError where not even an empty map has room. */
    GroupedRecords(TaskMemoryManager memory, int partitions) {
        this.map = new BytesToBytesMap(memory, FIRST, Math.min(PAGE, memory.pageSizeBytes()));
        for (int i = 0; i < partitions; ++i) {
            keys.add(new ArrayList<>());
        }
    }

    /** Takes a copy of one record; false where there is no room, until all are combined. */
    boolean add(int partition, byte[] key, int keyLength, byte[] value, int valueLength) {
        int keyRoom = rounded(KEY_HEADER + keyLength);
        int valueRoom = rounded(VALUE_HEADER + valueLength);
        if (bytes + keyRoom + valueRoom > MOST) {
            return false;
        }
        keyBytes = cleared(keyBytes, keyRoom);
        Platform.putInt(keyBytes, Platform.BYTE_ARRAY_OFFSET, partition);
        Platform.putInt(keyBytes, Platform.BYTE_ARRAY_OFFSET + Integer.BYTES, keyLength);
        System.arraycopy(key, 0, keyBytes, KEY_HEADER, keyLength);
        valueBytes = cleared(valueBytes, valueRoom);
        Platform.putInt(valueBytes, Platform.BYTE_ARRAY_OFFSET, valueLength);
        System.arraycopy(value, 0, valueBytes, VALUE_HEADER, valueLength);
        BytesToBytesMap.Location found = map.lookup(keyBytes, Platform.BYTE_ARRAY_OFFSET, keyRoom);
        boolean isNew = !found.isDefined();
        boolean isTaken = found.append(
                keyBytes, Platform.BYTE_ARRAY_OFFSET, keyRoom, valueBytes, Platform.BYTE_ARRAY_OFFSET, valueRoom);
        bytes += keyRoom + valueRoom;
        if (isTaken && isNew) {
            keys.get(partition).add(new Key(found.getKeyBase(), found.getKeyOffset(), keyRoom));
        }
        return isTaken;
    }

    /** Whether a partition has any. */
    boolean has(int partition) {
        return !keys.get(partition).isEmpty();
    }

    /** The records of a partition, equal keys beside each other. */
    RawKeyValueIterator of(int partition) {
        return new Grouped(keys.get(partition));
    }

    /** Forgets all, and gives their memory back. */
    void reset() {
        bytes = 0;
        keys.forEach(List::clear);
        map.reset();
    }

    /** Nothing is added after. */
    void close() {
        keys.clear();
        map.free();
    }

    private static int rounded(int length) {
        return Math.addExact(length, Long.BYTES - 1) & -Long.BYTES;
    }

    /** An array with so much room, whose last eight bytes are zero: what a record does not fill is compared too. */
    private static byte[] cleared(byte[] bytes, int room) {
        byte[] found = bytes.length < room ? new byte[2 * room] : bytes;
        Platform.putLong(found, Platform.BYTE_ARRAY_OFFSET + room - Long.BYTES, 0);
        return found;
    }

    private final class Grouped implements RawKeyValueIterator {
        private final List<Key> of;
        private final Progress progress = new Progress();
        private final RawRecord record = new RawRecord();
        private BytesToBytesMap.Location at;
        private int next;

        Grouped(List<Key> of) {
            this.of = of;
        }

        @Override
        public boolean next() {
            if (at == null || !at.nextValue()) {
                if (next == of.size()) {
                    return false;
                }
                Key found = of.get(next++);
                at = map.lookup(found.base, found.offset, found.length);
            }
            Object base = at.getKeyBase();
            long from = at.getKeyOffset();
            Object valueBase = at.getValueBase();
            long valueFrom = at.getValueOffset();
            record.load(
                    base,
                    from + KEY_HEADER,
                    Platform.getInt(base, from + Integer.BYTES),
                    valueBase,
                    valueFrom + VALUE_HEADER,
                    Platform.getInt(valueBase, valueFrom));
            return true;
        }

        @Override
        public DataInputBuffer getKey() {
            return record.key();
        }

        @Override
        public DataInputBuffer getValue() {
            return record.value();
        }

        @Override
        public Progress getProgress() {
            return progress;
        }

        @Override
        public void close() {}
    }
}
