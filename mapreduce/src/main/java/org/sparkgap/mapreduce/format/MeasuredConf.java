// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.format;

import org.apache.hadoop.mapred.InputFormat;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapTask;
import org.apache.hadoop.mapred.OutputFormat;
import org.apache.hadoop.mapred.ReduceTask;

/**
 * A task's configuration, of which Hadoop's own task gets measured formats of the old interface. Programs get the
 * job's: they look at its class, as Hadoop Streaming does, which drops the keys of one.
 */
public final class MeasuredConf extends JobConf {
    private static final StackWalker CALLER = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

    /** A copy of a job's configuration. */
    public MeasuredConf(JobConf job) {
        super(job);
    }

    @Override
    @SuppressWarnings({"rawtypes", "unchecked"})
    public InputFormat getInputFormat() {
        InputFormat own = super.getInputFormat();
        return !isTask(CALLER.getCallerClass()) ? own : new OldMeasuredInput(own);
    }

    @Override
    @SuppressWarnings({"rawtypes", "unchecked"})
    public OutputFormat getOutputFormat() {
        OutputFormat own = super.getOutputFormat();
        return !isTask(CALLER.getCallerClass()) ? own : new OldMeasuredOutput(own);
    }

    private static boolean isTask(Class<?> caller) {
        Class<?> outer = caller.isMemberClass() ? caller.getDeclaringClass() : caller;
        return FormatBytes.current() != null && (outer == MapTask.class || outer == ReduceTask.class);
    }
}
