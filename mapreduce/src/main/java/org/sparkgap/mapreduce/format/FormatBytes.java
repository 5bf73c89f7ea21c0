// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.format;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToLongFunction;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileSystem.Statistics;
import org.apache.hadoop.fs.FileSystem.Statistics.StatisticsData;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormatCounter;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormatCounter;

/**
 * Bytes that a task's formats have read and written: "Bytes Read" and "Bytes Written" of Hadoop's counters. Hadoop's
 * task counts all of its JVM meanwhile, which here has other tasks too; this counts the thread that calls.
 */
public final class FormatBytes implements AutoCloseable {
    private static final ThreadLocal<FormatBytes> CURRENT = new ThreadLocal<>();

    private final AtomicLong read = new AtomicLong();
    private final AtomicLong written = new AtomicLong();
    private final AtomicBoolean hasWriter = new AtomicBoolean();
    private volatile List<Statistics> systems;

    private FormatBytes() {
        look();
    }

    /** Has the formats of a task's configuration measured; for its thread, until it is closed. */
    public static FormatBytes begin(MeasuredConf conf, boolean isOutputNew) {
        FormatBytes made = new FormatBytes();
        CURRENT.set(made);
        if (conf.getUseNewMapper()) {
            MeasuredInput.replace(conf);
        }
        if (isOutputNew) {
            MeasuredOutput.replace(conf);
        }
        return made;
    }

    static FormatBytes current() {
        return CURRENT.get();
    }

    /** Puts its figures in place of those of Hadoop's task. That counts what is read of splits of files alone. */
    public void countInto(Counters counters) {
        Counters.Counter counted = counters.findCounter(FileInputFormatCounter.BYTES_READ);
        if (counted.getValue() > 0) {
            counted.setValue(read.get());
        }
        if (hasWriter.get()) {
            counters.findCounter(FileOutputFormatCounter.BYTES_WRITTEN).setValue(written.get());
        }
    }

    @Override
    public void close() {
        CURRENT.remove();
    }

    /** Whether a writer of files is the task's own; more of them are the program's, which Hadoop does not count. */
    boolean isFirstWriter() {
        return hasWriter.compareAndSet(false, true);
    }

    /** Looks for file systems again, after calls that may have made some. */
    @SuppressWarnings("deprecation")
    void look() {
        systems = FileSystem.getAllStatistics();
    }

    private long sum(ToLongFunction<StatisticsData> part) {
        long sum = 0;
        for (Statistics each : systems) {
            sum += part.applyAsLong(each.getThreadStatistics());
        }
        return sum;
    }

    /** What this thread has read so far. */
    long beginRead() {
        return sum(StatisticsData::getBytesRead);
    }

    /** Counts what it has read since. */
    void endRead(long before) {
        read.addAndGet(beginRead() - before);
    }

    long beginWrite() {
        return sum(StatisticsData::getBytesWritten);
    }

    void endWrite(long before) {
        written.addAndGet(beginWrite() - before);
    }
}
