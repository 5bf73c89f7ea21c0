// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.format;

import java.io.IOException;
import org.apache.hadoop.conf.Configurable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.OutputCommitter;
import org.apache.hadoop.mapreduce.OutputFormat;
import org.apache.hadoop.mapreduce.RecordWriter;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.TextOutputFormat;
import org.apache.hadoop.util.ReflectionUtils;

/** A job's OutputFormat; the writer that Hadoop's task has is measured. */
public final class MeasuredOutput<K, V> extends OutputFormat<K, V> implements Configurable {
    private static final String OWN = "sparkgap.mapreduce.outputformat";
    private OutputFormat<K, V> own;
    private Configuration conf;

    static void replace(Configuration conf) {
        conf.set(OWN, conf.get(MRJobConfig.OUTPUT_FORMAT_CLASS_ATTR, TextOutputFormat.class.getName()));
        conf.setClass(MRJobConfig.OUTPUT_FORMAT_CLASS_ATTR, MeasuredOutput.class, OutputFormat.class);
    }

    /** Puts the job's own class back: Hadoop's task has its instance, and programs may look. */
    @Override
    @SuppressWarnings("unchecked")
    public void setConf(Configuration given) {
        conf = given;
        own = (OutputFormat<K, V>) ReflectionUtils.newInstance(given.getClass(OWN, null), given);
        given.set(MRJobConfig.OUTPUT_FORMAT_CLASS_ATTR, given.get(OWN));
    }

    @Override
    public Configuration getConf() {
        return conf;
    }

    @Override
    public void checkOutputSpecs(JobContext context) throws IOException, InterruptedException {
        own.checkOutputSpecs(context);
    }

    @Override
    public OutputCommitter getOutputCommitter(TaskAttemptContext context) throws IOException, InterruptedException {
        return own.getOutputCommitter(context);
    }

    @Override
    public RecordWriter<K, V> getRecordWriter(TaskAttemptContext context) throws IOException, InterruptedException {
        FormatBytes bytes = FormatBytes.current();
        if (bytes == null || !(own instanceof FileOutputFormat) || !bytes.isFirstWriter()) {
            return own.getRecordWriter(context);
        }
        long before = bytes.beginWrite();
        try {
            return new Writer<>(own.getRecordWriter(context), bytes);
        } finally {
            bytes.look();
            bytes.endWrite(before);
        }
    }

    private static final class Writer<K, V> extends RecordWriter<K, V> {
        private final RecordWriter<K, V> own;
        private final FormatBytes bytes;

        Writer(RecordWriter<K, V> own, FormatBytes bytes) {
            this.own = own;
            this.bytes = bytes;
        }

        @Override
        public void write(K key, V value) throws IOException, InterruptedException {
            long before = bytes.beginWrite();
            try {
                own.write(key, value);
            } finally {
                bytes.endWrite(before);
            }
        }

        @Override
        public void close(TaskAttemptContext context) throws IOException, InterruptedException {
            long before = bytes.beginWrite();
            try {
                own.close(context);
            } finally {
                bytes.endWrite(before);
            }
        }
    }
}
