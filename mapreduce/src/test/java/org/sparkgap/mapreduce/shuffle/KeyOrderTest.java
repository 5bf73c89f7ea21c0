// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.shuffle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.Arrays;
import java.util.Random;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.io.WritableComparator;
import org.apache.spark.unsafe.Platform;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Prefixes never contradict the comparator that they stand for, and are whole where they say so. */
class KeyOrderTest {
    private static final int PAIRS = 20_000;

    @ParameterizedTest
    @EnumSource(value = KeyOrder.class, names = "UNKNOWN", mode = EnumSource.Mode.EXCLUDE)
    void prefixesFollowTheComparator(KeyOrder order) throws IOException {
        Random random = new Random(order.ordinal());
        RawComparator<?> comparator = comparator(order);
        assertEquals(order, KeyOrder.of(comparator));
        for (int i = 0; i < PAIRS; ++i) {
            byte[] a = key(order, random);
            byte[] b = random.nextInt(8) == 0 ? a.clone() : key(order, random);
            int expected = Integer.signum(comparator.compare(a, 0, a.length, b, 0, b.length));
            long start = Platform.BYTE_ARRAY_OFFSET;
            assertEquals(expected, Integer.signum(order.compare(a, start, a.length, b, start, b.length)));
            int found = Long.compareUnsigned(order.prefix(a, 0, a.length), order.prefix(b, 0, b.length));
            assertTrue(found == 0 || Integer.signum(found) == expected, () -> Arrays.toString(a) + Arrays.toString(b));
            assertTrue(found != 0 || expected == 0 || !order.isWholeIn(Long.SIZE), () -> Arrays.toString(a));
        }
    }

    private static RawComparator<?> comparator(KeyOrder order) {
        return switch (order) {
            case TEXT -> WritableComparator.get(Text.class);
            case BYTES -> WritableComparator.get(BytesWritable.class);
            case INT -> WritableComparator.get(IntWritable.class);
            case LONG -> WritableComparator.get(LongWritable.class);
            case UNKNOWN -> throw new IllegalArgumentException();
        };
    }

    /** Some are long, with a length of several bytes; many are short and alike; bytes of all values. */
    private static byte[] key(KeyOrder order, Random random) throws IOException {
        byte[] bytes = new byte[random.nextInt(20) == 0 ? 200 : random.nextInt(12)];
        for (int i = 0; i < bytes.length; ++i) {
            bytes[i] = (byte) (random.nextBoolean() ? 'a' : random.nextInt(256));
        }
        Writable key =
                switch (order) {
                    case TEXT -> new Text(bytes);
                    case BYTES -> new BytesWritable(bytes);
                    case INT -> new IntWritable(random.nextBoolean() ? random.nextInt() : random.nextInt(5) - 2);
                    case LONG -> new LongWritable(random.nextBoolean() ? random.nextLong() : random.nextInt(5) - 2);
                    case UNKNOWN -> throw new IllegalArgumentException();
                };
        DataOutputBuffer out = new DataOutputBuffer();
        key.write(out);
        return Arrays.copyOf(out.getData(), out.getLength());
    }
}
