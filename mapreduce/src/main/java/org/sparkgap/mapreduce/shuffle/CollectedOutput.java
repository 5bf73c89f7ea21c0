// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.shuffle;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.io.serializer.SerializationFactory;
import org.apache.hadoop.io.serializer.Serializer;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapOutputCollector;
import org.apache.hadoop.mapred.MapTask;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapred.Task;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.spark.memory.SparkOutOfMemoryError;

/**
 * Takes what a mapper writes. Without a combiner records are put in the order of their partitions alone, for reducers
 * sort what they get. With one they are grouped by key, by hashing or else by sorting, and the combiner's output goes
 * on in their place.
 */
public final class CollectedOutput<K, V> implements MapOutputCollector<K, V> {
    private final DataOutputBuffer keyBytes = new DataOutputBuffer();
    private final DataOutputBuffer valueBytes = new DataOutputBuffer();
    private MapTask task;
    private JobConf job;
    private Task.CombinerRunner<K, V> combiner;
    private Reporter reporter;
    private Class<?> keyClass;
    private Class<?> valueClass;
    private Serializer<K> keys;
    private Serializer<V> values;
    private int partitions;
    private GroupedRecords groups;
    private SortedRecords records;
    private Counters.Counter outRecords;
    private Counters.Counter outBytes;

    @Override
    @SuppressWarnings("unchecked")
    public void init(Context context) throws IOException, ClassNotFoundException {
        task = context.getMapTask();
        job = context.getJobConf();
        reporter = context.getReporter();
        partitions = job.getNumReduceTasks();
        keyClass = job.getMapOutputKeyClass();
        valueClass = job.getMapOutputValueClass();
        keys = serializer((Class<K>) keyClass, keyBytes);
        values = serializer((Class<V>) valueClass, valueBytes);
        outRecords = reporter.getCounter(TaskCounter.MAP_OUTPUT_RECORDS);
        outBytes = reporter.getCounter(TaskCounter.MAP_OUTPUT_BYTES);
        Counters.Counter combined = reporter.getCounter(TaskCounter.COMBINE_INPUT_RECORDS);
        combiner = Task.CombinerRunner.create(job, task.getTaskID(), combined, context.getReporter(), null);
        groups = combiner == null ? null : groups();
        RawComparator<?> comparator = combiner == null || groups != null ? null : job.getOutputKeyComparator();
        records = new SortedRecords(TaskShuffle.current().task(), partitions, comparator);
    }

    /** Null where keys that are equal may have other bytes, as far as we know, or where there is no memory. */
    private GroupedRecords groups() {
        RawComparator<?> comparator = job.getOutputKeyComparator();
        boolean isGroupedSo = job.getCombinerKeyGroupingComparator().getClass() == comparator.getClass();
        if (KeyOrder.of(comparator) == KeyOrder.UNKNOWN || !isGroupedSo) {
            return null;
        }
        try {
            return new GroupedRecords(TaskShuffle.current().task().taskMemoryManager(), partitions);
        } catch (SparkOutOfMemoryError e) {
            return null;
        }
    }

    private <T> Serializer<T> serializer(Class<T> type, DataOutputBuffer into) throws IOException {
        Serializer<T> made = new SerializationFactory(job).getSerializer(type);
        if (made == null) {
            throw new IOException("map output: expected a class that one of io.serializations can write, found "
                    + type.getName() + ". Do add its serialization.");
        }
        made.open(into);
        return made;
    }

    @Override
    public synchronized void collect(K key, V value, int partition) throws IOException, InterruptedException {
        check("key", keyClass, key);
        check("value", valueClass, value);
        if (partition < 0 || partition >= partitions) {
            throw new IOException("Illegal partition for " + key + " (" + partition + ")");
        }
        reporter.progress();
        serialize(key, value);
        if (groups == null || !isGrouped(partition)) {
            put(records, partition);
        }
        outRecords.increment(1);
        outBytes.increment(keyBytes.getLength() + (long) valueBytes.getLength());
    }

    private static void check(String what, Class<?> expected, Object found) throws IOException {
        if (found.getClass() != expected) {
            throw new IOException("Type mismatch in " + what + " from map: expected " + expected.getName()
                    + ", received " + found.getClass().getName());
        }
    }

    private void serialize(K key, V value) throws IOException {
        keyBytes.reset();
        keys.serialize(key);
        valueBytes.reset();
        values.serialize(value);
    }

    private void put(SortedRecords into, int partition) throws IOException {
        byte[] key = keyBytes.getData();
        into.add(partition, key, 0, keyBytes.getLength(), valueBytes.getData(), 0, valueBytes.getLength());
    }

    /** Whether the serialized record is among the groups, which are combined where it found no room. */
    private boolean isGrouped(int partition) throws IOException, InterruptedException {
        byte[] key = keyBytes.getData();
        byte[] value = valueBytes.getData();
        int keyLength = keyBytes.getLength();
        int valueLength = valueBytes.getLength();
        if (groups.add(partition, key, keyLength, value, valueLength)) {
            return true;
        }
        byte[] keyCopy = Arrays.copyOf(key, keyLength); // the combiner's output overwrites these
        byte[] valueCopy = Arrays.copyOf(value, valueLength);
        combineGroups();
        if (!groups.add(partition, keyCopy, keyLength, valueCopy, valueLength)) {
            records.add(partition, keyCopy, 0, keyLength, valueCopy, 0, valueLength);
        }
        return true;
    }

    @Override
    public synchronized void flush() throws IOException, InterruptedException, ClassNotFoundException {
        if (groups != null) {
            combineGroups();
            groups.close();
        } else if (combiner != null) {
            combine();
        }
        reporter.getCounter(TaskCounter.SPILLED_RECORDS).increment(records.count());
        TaskShuffle.current().setOutput(records);
    }

    /** What comes out is on the heap until the groups have given their memory back, for the sorter needs some. */
    private void combineGroups() throws IOException, InterruptedException {
        Counters.Counter out = reporter.getCounter(TaskCounter.COMBINE_OUTPUT_RECORDS);
        DataOutputBuffer combined = new DataOutputBuffer();
        for (int partition = 0; partition < partitions; ++partition) {
            if (groups.has(partition)) {
                int of = partition;
                combined(groups.of(partition), (key, value) -> {
                    serialize(key, value);
                    combined.writeInt(of);
                    combined.writeInt(keyBytes.getLength());
                    combined.writeInt(valueBytes.getLength());
                    combined.write(keyBytes.getData(), 0, keyBytes.getLength());
                    combined.write(valueBytes.getData(), 0, valueBytes.getLength());
                    out.increment(1);
                });
            }
        }
        groups.reset();
        ByteBuffer made = ByteBuffer.wrap(combined.getData(), 0, combined.getLength());
        while (made.hasRemaining()) {
            int partition = made.getInt();
            int keyLength = made.getInt();
            int valueLength = made.getInt();
            int at = made.position();
            records.add(partition, made.array(), at, keyLength, made.array(), at + keyLength, valueLength);
            made.position(at + keyLength + valueLength);
        }
    }

    private void combined(RawKeyValueIterator from, OutputCollector<K, V> to) throws IOException, InterruptedException {
        try {
            combiner.combine(from, to);
        } catch (ClassNotFoundException e) {
            throw new IOException(e);
        }
    }

    private void combine() throws IOException, InterruptedException {
        SortedRecords made = new SortedRecords(TaskShuffle.current().task(), partitions, null);
        Counters.Counter out = reporter.getCounter(TaskCounter.COMBINE_OUTPUT_RECORDS);
        RawRecords sorted = new RawRecords(records);
        for (int partition = sorted.nextPartition(); partition >= 0; partition = sorted.nextPartition()) {
            int of = partition;
            combined(sorted, (key, value) -> {
                serialize(key, value);
                put(made, of);
                out.increment(1);
            });
        }
        records.close();
        records = made;
    }

    @Override
    public void close() throws IOException {
        keys.close();
        values.close();
    }
}
