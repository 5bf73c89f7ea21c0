// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.shuffle;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.util.Progress;
import org.apache.spark.memory.MemoryConsumer;
import org.apache.spark.memory.TaskMemoryManager;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.map.BytesToBytesMap;
import org.apache.spark.unsafe.memory.MemoryBlock;

/**
 * Records of a map task by key, for its combiner, which needs equal keys beside each other and no order. Spark's own
 * hash map of bytes numbers the keys; values are written one after the other, and moved into the order of their keys
 * when all are there: a list of values for each key would make the processor wait for memory at each value. All of it
 * is memory of Spark's pool. Keys that the job's comparator takes for equal must have equal bytes.
 *
 * <p>In the map a key is the partition, its length and its bytes, and ends at a multiple of eight; its value is its
 * number. A value is the number of its key, its length and its bytes; once moved, its length and its bytes.
 */
final class GroupedRecords {
    private static final long VALUES = 8 << 20;
    private static final long KEYS = 16 << 20;
    private static final long PAGE = 4 << 20;
    private static final int FIRST = 1 << 12;
    private static final int HEADER = 2 * Integer.BYTES;

    /** Where the map has a key, and its number. */
    private record Key(Object base, long offset, int number) {}

    private final BytesToBytesMap map;
    private final Pages pages;
    private final MemoryBlock values;
    private final MemoryBlock moved;
    private final List<List<Key>> keys = new ArrayList<>();
    private final long[] number = new long[1];
    private int[] sizes = new int[FIRST];
    private int[] starts = new int[FIRST];
    private int count;
    private int used;
    private long keysUsed;
    private boolean isMoved;
    private byte[] keyBytes = new byte[128];

    /** Errors: SparkOutOfMemoryError where there is no room. */
    GroupedRecords(TaskMemoryManager memory, int partitions) {
        long page = Math.min(PAGE, memory.pageSizeBytes());
        this.map = new BytesToBytesMap(memory, FIRST, page);
        this.pages = new Pages(memory, page);
        try {
            this.values = pages.allocate(VALUES);
            this.moved = pages.allocate(VALUES);
        } catch (Throwable e) {
            close();
            throw e;
        }
        for (int i = 0; i < partitions; ++i) {
            keys.add(new ArrayList<>());
        }
    }

    /** Takes a copy of one record; false where there is no room, until all are combined. */
    boolean add(int partition, byte[] key, int keyLength, byte[] value, int valueLength) {
        int keyRoom = Math.addExact(HEADER + keyLength, Long.BYTES - 1) & -Long.BYTES;
        if (keysUsed + keyRoom > KEYS || used + HEADER + (long) valueLength > VALUES) {
            return false;
        }
        if (keyBytes.length < keyRoom) {
            keyBytes = new byte[2 * keyRoom];
        }
        // What the key does not fill is compared too.
        Platform.putLong(keyBytes, Platform.BYTE_ARRAY_OFFSET + keyRoom - Long.BYTES, 0);
        Platform.putInt(keyBytes, Platform.BYTE_ARRAY_OFFSET, partition);
        Platform.putInt(keyBytes, Platform.BYTE_ARRAY_OFFSET + Integer.BYTES, keyLength);
        System.arraycopy(key, 0, keyBytes, HEADER, keyLength);
        BytesToBytesMap.Location found = map.lookup(keyBytes, Platform.BYTE_ARRAY_OFFSET, keyRoom);
        if (!found.isDefined() && !isNumbered(found, partition, keyRoom)) {
            return false;
        }
        int of = (int) Platform.getLong(found.getValueBase(), found.getValueOffset());
        Object base = values.getBaseObject();
        long at = values.getBaseOffset() + used;
        Platform.putInt(base, at, of);
        Platform.putInt(base, at + Integer.BYTES, valueLength);
        RawRecord.copy(value, Platform.BYTE_ARRAY_OFFSET, base, at + HEADER, valueLength);
        used += HEADER + valueLength;
        sizes[of] += Integer.BYTES + valueLength;
        isMoved = false;
        return true;
    }

    /** Gives a new key the next number; false where the map is full. */
    private boolean isNumbered(BytesToBytesMap.Location found, int partition, int keyRoom) {
        number[0] = count;
        if (!found.append(
                keyBytes, Platform.BYTE_ARRAY_OFFSET, keyRoom, number, Platform.LONG_ARRAY_OFFSET, Long.BYTES)) {
            return false;
        }
        keysUsed += keyRoom;
        if (count == sizes.length) {
            sizes = Arrays.copyOf(sizes, 2 * count);
            starts = Arrays.copyOf(starts, 2 * count);
        }
        keys.get(partition).add(new Key(found.getKeyBase(), found.getKeyOffset(), count));
        ++count;
        return true;
    }

    /** Whether a partition has any. */
    boolean has(int partition) {
        return !keys.get(partition).isEmpty();
    }

    /** The records of a partition, equal keys beside each other. */
    RawKeyValueIterator of(int partition) {
        if (!isMoved) {
            move();
        }
        return new Grouped(keys.get(partition));
    }

    /** Moves values into the order of keys: reads one after the other, and waits for no write. */
    private void move() {
        int start = 0;
        for (List<Key> those : keys) {
            for (Key key : those) {
                starts[key.number] = start;
                start += sizes[key.number];
            }
        }
        int[] next = Arrays.copyOf(starts, count);
        Object from = values.getBaseObject();
        Object to = moved.getBaseObject();
        for (int at = 0; at < used; ) {
            long value = values.getBaseOffset() + at;
            int of = Platform.getInt(from, value);
            int length = Platform.getInt(from, value + Integer.BYTES);
            long place = moved.getBaseOffset() + next[of];
            Platform.putInt(to, place, length);
            RawRecord.copy(from, value + HEADER, to, place + Integer.BYTES, length);
            next[of] += Integer.BYTES + length;
            at += HEADER + length;
        }
        isMoved = true;
    }

    /** Forgets all. */
    void reset() {
        Arrays.fill(sizes, 0, count, 0);
        count = 0;
        used = 0;
        keysUsed = 0;
        keys.forEach(List::clear);
        map.reset();
    }

    /** Nothing is added after. */
    void close() {
        keys.clear();
        map.free();
        pages.free();
    }

    /** What holds the values. */
    private static final class Pages extends MemoryConsumer {
        private final List<MemoryBlock> taken = new ArrayList<>();

        Pages(TaskMemoryManager memory, long page) {
            super(memory, page, memory.getTungstenMemoryMode());
        }

        MemoryBlock allocate(long size) {
            MemoryBlock made = allocatePage(size);
            taken.add(made);
            return made;
        }

        void free() {
            taken.forEach(this::freePage);
            taken.clear();
        }

        @Override
        public long spill(long size, MemoryConsumer trigger) {
            return 0;
        }
    }

    private final class Grouped implements RawKeyValueIterator {
        private final List<Key> of;
        private final Progress progress = new Progress();
        private final RawRecord record = new RawRecord();
        private int next;
        private int at;
        private int end;

        Grouped(List<Key> of) {
            this.of = of;
        }

        @Override
        public boolean next() {
            if (at == end) {
                if (next == of.size()) {
                    return false;
                }
                Key found = of.get(next++);
                at = starts[found.number];
                end = at + sizes[found.number];
                int length = Platform.getInt(found.base, found.offset + Integer.BYTES);
                record.loadKey(found.base, found.offset + HEADER, length);
            }
            Object base = moved.getBaseObject();
            long from = moved.getBaseOffset() + at;
            int length = Platform.getInt(base, from);
            record.loadValue(base, from + Integer.BYTES, length);
            at += Integer.BYTES + length;
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
