// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.format;

import java.io.IOException;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.mapred.FileOutputFormat;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.OutputFormat;
import org.apache.hadoop.mapred.RecordWriter;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.util.Progressable;

/** {@link MeasuredOutput} of the old interface. */
record OldMeasuredOutput<K, V>(OutputFormat<K, V> own) implements OutputFormat<K, V> {
    @Override
    public void checkOutputSpecs(FileSystem files, JobConf conf) throws IOException {
        own.checkOutputSpecs(files, conf);
    }

    @Override
    public RecordWriter<K, V> getRecordWriter(FileSystem files, JobConf conf, String name, Progressable progress)
            throws IOException {
        FormatBytes bytes = FormatBytes.current();
        if (bytes == null || !(own instanceof FileOutputFormat) || !bytes.isFirstWriter()) {
            return own.getRecordWriter(files, conf, name, progress);
        }
        long before = bytes.beginWrite();
        try {
            return new Writer<>(own.getRecordWriter(files, conf, name, progress), bytes);
        } finally {
            bytes.look();
            bytes.endWrite(before);
        }
    }

    private record Writer<K, V>(RecordWriter<K, V> own, FormatBytes bytes) implements RecordWriter<K, V> {
        @Override
        public void write(K key, V value) throws IOException {
            long before = bytes.beginWrite();
            try {
                own.write(key, value);
            } finally {
                bytes.endWrite(before);
            }
        }

        @Override
        public void close(Reporter reporter) throws IOException {
            long before = bytes.beginWrite();
            try {
                own.close(reporter);
            } finally {
                bytes.endWrite(before);
            }
        }
    }
}
