// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.shuffle;

import java.io.IOException;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.io.serializer.SerializationFactory;
import org.apache.hadoop.io.serializer.Serializer;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapOutputCollector;
import org.apache.hadoop.mapred.MapTask;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapred.Task;
import org.apache.hadoop.mapreduce.TaskCounter;

/**
 * Takes what a mapper writes. Without a combiner records are put in the order of their partitions alone, for reducers
 * sort what they get; with one they are sorted by key too, and the combiner's output goes on in their place.
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
        RawComparator<?> comparator = combiner == null ? null : job.getOutputKeyComparator();
        records = new SortedRecords(TaskShuffle.current().task(), partitions, comparator);
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
    public synchronized void collect(K key, V value, int partition) throws IOException {
        check("key", keyClass, key);
        check("value", valueClass, value);
        if (partition < 0 || partition >= partitions) {
            throw new IOException("Illegal partition for " + key + " (" + partition + ")");
        }
        reporter.progress();
        put(records, key, value, partition);
        outRecords.increment(1);
        outBytes.increment(keyBytes.getLength() + (long) valueBytes.getLength());
    }

    private static void check(String what, Class<?> expected, Object found) throws IOException {
        if (found.getClass() != expected) {
            throw new IOException("Type mismatch in " + what + " from map: expected " + expected.getName()
                    + ", received " + found.getClass().getName());
        }
    }

    private void put(SortedRecords into, K key, V value, int partition) throws IOException {
        keyBytes.reset();
        keys.serialize(key);
        valueBytes.reset();
        values.serialize(value);
        into.add(
                partition,
                keyBytes.getData(),
                0,
                keyBytes.getLength(),
                valueBytes.getData(),
                0,
                valueBytes.getLength());
    }

    @Override
    public synchronized void flush() throws IOException, InterruptedException, ClassNotFoundException {
        if (combiner != null) {
            combine();
        }
        reporter.getCounter(TaskCounter.SPILLED_RECORDS).increment(records.count());
        TaskShuffle.current().setOutput(records);
    }

    private void combine() throws IOException, InterruptedException, ClassNotFoundException {
        SortedRecords combined = new SortedRecords(TaskShuffle.current().task(), partitions, null);
        Counters.Counter out = reporter.getCounter(TaskCounter.COMBINE_OUTPUT_RECORDS);
        RawRecords sorted = new RawRecords(records);
        for (int partition = sorted.nextPartition(); partition >= 0; partition = sorted.nextPartition()) {
            int of = partition;
            combiner.combine(sorted, (key, value) -> {
                put(combined, key, value, of);
                out.increment(1);
            });
        }
        records.close();
        records = combined;
    }

    @Override
    public void close() throws IOException {
        keys.close();
        values.close();
    }
}
