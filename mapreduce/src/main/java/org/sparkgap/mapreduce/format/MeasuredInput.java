// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.format;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.conf.Configurable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.InputFormat;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.input.TextInputFormat;
import org.apache.hadoop.util.ReflectionUtils;

/** A job's InputFormat, whose readers are measured. */
public final class MeasuredInput<K, V> extends InputFormat<K, V> implements Configurable {
    private static final String OWN = "sparkgap.mapreduce.inputformat";
    private InputFormat<K, V> own;
    private Configuration conf;

    static void replace(Configuration conf) {
        conf.set(OWN, conf.get(MRJobConfig.INPUT_FORMAT_CLASS_ATTR, TextInputFormat.class.getName()));
        conf.setClass(MRJobConfig.INPUT_FORMAT_CLASS_ATTR, MeasuredInput.class, InputFormat.class);
    }

    /** Puts the job's own class back: Hadoop's task has its instance, and programs may look. */
    @Override
    @SuppressWarnings("unchecked")
    public void setConf(Configuration given) {
        conf = given;
        own = (InputFormat<K, V>) ReflectionUtils.newInstance(given.getClass(OWN, null), given);
        given.set(MRJobConfig.INPUT_FORMAT_CLASS_ATTR, given.get(OWN));
    }

    @Override
    public Configuration getConf() {
        return conf;
    }

    @Override
    public List<InputSplit> getSplits(JobContext context) throws IOException, InterruptedException {
        return own.getSplits(context);
    }

    @Override
    public RecordReader<K, V> createRecordReader(InputSplit split, TaskAttemptContext context)
            throws IOException, InterruptedException {
        FormatBytes bytes = FormatBytes.current();
        if (bytes == null) { // of a thread of the program's own
            return own.createRecordReader(split, context);
        }
        long before = bytes.beginRead();
        try {
            return new Reader<>(own.createRecordReader(split, context), bytes);
        } finally {
            bytes.endRead(before);
        }
    }

    private static final class Reader<K, V> extends RecordReader<K, V> {
        private final RecordReader<K, V> own;
        private final FormatBytes bytes;

        Reader(RecordReader<K, V> own, FormatBytes bytes) {
            this.own = own;
            this.bytes = bytes;
        }

        @Override
        public void initialize(InputSplit split, TaskAttemptContext context) throws IOException, InterruptedException {
            long before = bytes.beginRead();
            try {
                own.initialize(split, context);
            } finally {
                bytes.look();
                bytes.endRead(before);
            }
        }

        @Override
        public boolean nextKeyValue() throws IOException, InterruptedException {
            long before = bytes.beginRead();
            try {
                return own.nextKeyValue();
            } finally {
                bytes.endRead(before);
            }
        }

        @Override
        public K getCurrentKey() throws IOException, InterruptedException {
            return own.getCurrentKey();
        }

        @Override
        public V getCurrentValue() throws IOException, InterruptedException {
            return own.getCurrentValue();
        }

        @Override
        public float getProgress() throws IOException, InterruptedException {
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
