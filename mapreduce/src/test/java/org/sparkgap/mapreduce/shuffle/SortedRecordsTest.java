// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.shuffle;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.io.WritableComparator;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.util.collection.unsafe.sort.UnsafeSorterIterator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Records come by partition and then by key, whether a partition's number has room beside the key's prefix or not. */
class SortedRecordsTest {
    private static final int RECORDS = 20_000;

    private record Entry(int partition, long key) implements Serializable {}

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 1 << 16, (1 << 16) + 1, 1 << 20})
    void recordsAreInOrder(int partitions) {
        SparkConf conf =
                new SparkConf().setMaster("local[2]").setAppName("records").set("spark.ui.enabled", "false");
        JavaSparkContext spark = new JavaSparkContext(SparkContext.getOrCreate(conf));
        List<Entry> found = spark.parallelize(List.of(partitions), 1)
                .map(SortedRecordsTest::sorted)
                .first();
        List<Entry> expected = entries(partitions);
        expected.sort(Comparator.comparingInt(Entry::partition).thenComparingLong(Entry::key));
        assertEquals(expected, found);
    }

    /** The first and the last partition, and keys of both signs, many of them equal, are among them. */
    private static List<Entry> entries(int partitions) {
        Random random = new Random(partitions);
        List<Entry> made = new ArrayList<>();
        for (int i = 0; i < RECORDS; ++i) {
            int partition = i % 3 == 0 ? partitions - 1 : random.nextInt(partitions);
            long key = random.nextBoolean() ? random.nextInt(9) - 4 : random.nextLong();
            made.add(new Entry(partition, key));
        }
        return made;
    }

    private static List<Entry> sorted(int partitions) throws IOException {
        RawComparator<?> comparator = WritableComparator.get(LongWritable.class);
        SortedRecords records = new SortedRecords(TaskContext.get(), partitions, comparator);
        for (Entry entry : entries(partitions)) {
            byte[] key = ByteBuffer.allocate(Long.BYTES).putLong(entry.key()).array();
            records.add(entry.partition(), key, 0, key.length, key, 0, 0);
        }
        List<Entry> found = new ArrayList<>();
        for (UnsafeSorterIterator sorted = records.iterator(); sorted.hasNext(); ) {
            sorted.loadNext();
            int partition = Platform.getInt(sorted.getBaseObject(), sorted.getBaseOffset());
            long key = Platform.getLong(sorted.getBaseObject(), sorted.getBaseOffset() + SortedRecords.HEADER);
            found.add(new Entry(partition, Long.reverseBytes(key)));
        }
        records.close();
        return found;
    }
}
