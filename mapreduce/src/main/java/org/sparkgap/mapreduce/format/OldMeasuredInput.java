// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.format;

import java.io.IOException;
import org.apache.hadoop.mapred.InputFormat;
import org.apache.hadoop.mapred.InputSplit;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.RecordReader;
import org.apache.hadoop.mapred.Reporter;

/** {@link MeasuredInput} of the old interface. */
record OldMeasuredInput<K, V>(InputFormat<K, V> own) implements InputFormat<K, V> {
    @Override
    public InputSplit[] getSplits(JobConf conf, int count) throws IOException {
        return own.getSplits(conf, count);
    }

    @Override
    public RecordReader<K, V> getRecordReader(InputSplit split, JobConf conf, Reporter reporter) throws IOException {
        FormatBytes bytes = FormatBytes.current();
        if (bytes == null) {
            return own.getRecordReader(split, conf, reporter);
        }
        long before = bytes.beginRead();
        try {
            return new Reader<>(own.getRecordReader(split, conf, reporter), bytes);
        } finally {
            bytes.look();
            bytes.endRead(before);
        }
    }

    private record Reader<K, V>(RecordReader<K, V> own, FormatBytes bytes) implements RecordReader<K, V> {
        @Override
        public boolean next(K key, V value) throws IOException {
            long before = bytes.beginRead();
            try {
                return own.next(key, value);
            } finally {
                bytes.endRead(before);
            }
        }

        @Override
        public K createKey() {
            return own.createKey();
        }

        @Override
        public V createValue() {
            return own.createValue();
        }

        @Override
        public long getPos() throws IOException {
            return own.getPos();
        }

        @Override
        public float getProgress() throws IOException {
            return own.getProgress();
        }

        @Override
        public void close() throws IOException {
            long before = bytes.beginRead();
            try {
                own.close();
            } finally {
                bytes.endRead(before);
            }
        }
    }
}
