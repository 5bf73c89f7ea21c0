// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.shuffle;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.function.Supplier;
import org.apache.hadoop.io.RawComparator;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.util.collection.unsafe.sort.PrefixComparators;
import org.apache.spark.util.collection.unsafe.sort.RecordComparator;
import org.apache.spark.util.collection.unsafe.sort.UnsafeExternalSorter;
import org.apache.spark.util.collection.unsafe.sort.UnsafeSorterIterator;

/**
 * Serialized records of one task by partition, and within each by key where that is asked for. They lie in memory of
 * Spark's pool, outside of the heap where Spark is told so, and go to its disks as that runs out; Spark's own sorter
 * holds them. A record is: its partition, the length of its key, the key, the value.
 *
 * <p>Cost: a radix sort where numbers of eight bytes decide, which they do for partitions alone and for keys of up to
 * six or eight bytes; else a merge sort by these, and by whole keys where they are equal.
 */
final class SortedRecords {
    /** Of a record, before its key. */
    static final int HEADER = 2 * Integer.BYTES;

    private static final int PARTITION_BITS = 16;
    private static final int KEY_BITS = Long.SIZE - PARTITION_BITS;
    private static final long NO_LIMIT = Long.MAX_VALUE;
    private static final int MERGED_AT_ONCE = 64;
    private final UnsafeExternalSorter sorter;
    private final KeyOrder order;
    private final int partitions;
    private byte[] record = new byte[1 << 10];
    private long count;

    /**
     * @param task the one whose memory is taken
     * @param partitions how many there are
     * @param comparator of keys; null where only partitions are to follow each other
     */
    SortedRecords(TaskContext task, int partitions, RawComparator<?> comparator) throws IOException {
        this.partitions = partitions;
        this.order = comparator == null ? null : KeyOrder.of(comparator);
        boolean isDecided = order == null || order.isWholeIn(keyBits());
        Supplier<RecordComparator> records = () -> new Whole(order, comparator);
        this.sorter = sorter(task, records, isDecided);
    }

    /** Takes a copy of one record. */
    void add(int partition, byte[] key, int keyFrom, int keyLength, byte[] value, int valueFrom, int valueLength)
            throws IOException {
        int length = Math.addExact(Math.addExact(HEADER, keyLength), valueLength);
        if (record.length < length) {
            record = new byte[(int) Math.min(Integer.MAX_VALUE - 8, Math.max(length, 2L * record.length))];
        }
        Platform.putInt(record, Platform.BYTE_ARRAY_OFFSET, partition);
        Platform.putInt(record, Platform.BYTE_ARRAY_OFFSET + Integer.BYTES, keyLength);
        System.arraycopy(key, keyFrom, record, HEADER, keyLength);
        System.arraycopy(value, valueFrom, record, HEADER + keyLength, valueLength);
        sorter.insertRecord(
                record, Platform.BYTE_ARRAY_OFFSET, length, prefix(partition, key, keyFrom, keyLength), false);
        ++count;
    }

    /** How many records there are. */
    long count() {
        return count;
    }

    /** Bytes that went to disk. */
    long spilledBytes() {
        return sorter.getSpillSize();
    }

    /** All records in order, once; nothing may be added after. */
    UnsafeSorterIterator iterator() throws IOException {
        return sorter.getSortedIterator();
    }

    /** Gives memory and files back, as the end of the task does. */
    void close() {
        sorter.cleanupResources();
    }

    private int keyBits() {
        return partitions == 1 ? Long.SIZE : partitions <= 1 << PARTITION_BITS ? KEY_BITS : 0;
    }

    private long prefix(int partition, byte[] key, int from, int length) {
        if (order == null || keyBits() == 0) {
            return partition;
        }
        long ofKey = order.prefix(key, from, length);
        return partitions == 1 ? ofKey : (long) partition << KEY_BITS | ofKey >>> PARTITION_BITS;
    }

    /** Versions of Spark 4 differ in how many limits they take; ours are none. */
    private static UnsafeExternalSorter sorter(TaskContext task, Supplier<RecordComparator> records, boolean isDecided)
            throws IOException {
        SparkEnv env = SparkEnv.get();
        SparkConf conf = env.conf();
        int first = conf.getInt("spark.shuffle.sort.initialBufferSize", 4096);
        long page = task.taskMemoryManager().pageSizeBytes();
        Method create = Arrays.stream(UnsafeExternalSorter.class.getMethods())
                .filter(method -> method.getName().equals("create"))
                .findFirst()
                .orElseThrow();
        Object[] known = {
            task.taskMemoryManager(),
            env.blockManager(),
            env.serializerManager(),
            task,
            records,
            PrefixComparators.BINARY,
            first,
            page,
            conf.getInt("spark.shuffle.spill.numElementsForceSpillThreshold", Integer.MAX_VALUE)
        };
        Object[] given = Arrays.copyOf(known, create.getParameterCount());
        Class<?>[] types = create.getParameterTypes();
        for (int i = known.length; i < given.length; ++i) {
            given[i] = switch (types[i].getName()) {
                case "boolean" -> (Object) isDecided;
                case "long" -> (Object) NO_LIMIT;
                default -> (Object) MERGED_AT_ONCE;
            };
        }
        try {
            return (UnsafeExternalSorter) create.invoke(null, given);
        } catch (InvocationTargetException e) {
            throw new IOException(e.getCause());
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Compares whole records, the partition first; each user has one of its own, for its two copies of keys. */
    private static final class Whole extends RecordComparator {
        private final KeyOrder order;
        private final RawComparator<?> comparator;
        private byte[] left = new byte[64];
        private byte[] right = new byte[64];

        Whole(KeyOrder order, RawComparator<?> comparator) {
            this.order = order;
            this.comparator = comparator;
        }

        @Override
        public int compare(Object a, long aFrom, int aLength, Object b, long bFrom, int bLength) {
            int byPartition = Integer.compare(Platform.getInt(a, aFrom), Platform.getInt(b, bFrom));
            if (byPartition != 0 || order == null) {
                return byPartition;
            }
            int leftLength = Platform.getInt(a, aFrom + Integer.BYTES);
            int rightLength = Platform.getInt(b, bFrom + Integer.BYTES);
            if (order != KeyOrder.UNKNOWN) {
                return order.compare(a, aFrom + HEADER, leftLength, b, bFrom + HEADER, rightLength);
            }
            left = keyOf(a, aFrom, leftLength, left);
            right = keyOf(b, bFrom, rightLength, right);
            return comparator.compare(left, 0, leftLength, right, 0, rightLength);
        }

        private static byte[] keyOf(Object base, long from, int length, byte[] into) {
            byte[] key = into.length < length ? new byte[length] : into;
            Platform.copyMemory(base, from + HEADER, key, Platform.BYTE_ARRAY_OFFSET, length);
            return key;
        }
    }
}
