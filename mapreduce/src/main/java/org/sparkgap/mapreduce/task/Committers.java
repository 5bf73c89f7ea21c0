// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.task;

import java.io.IOException;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.OutputCommitter;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;
import org.apache.hadoop.util.ReflectionUtils;

/** The committer that a job has: of its OutputFormat in the new API, of its configuration in the old one. */
public final class Committers {
    private Committers() {}

    /** Whether the task that writes the job's output is of the new API. */
    static boolean isNew(JobConf conf) {
        return conf.getNumReduceTasks() > 0 ? conf.getUseNewReducer() : conf.getUseNewMapper();
    }

    /** As the attempt sees it; the driver makes one for the first map's. */
    public static OutputCommitter of(JobConf conf, TaskAttemptID attempt)
            throws IOException, InterruptedException, ClassNotFoundException {
        if (!isNew(conf)) {
            return conf.getOutputCommitter();
        }
        TaskAttemptContext context = context(conf, attempt);
        return ReflectionUtils.newInstance(context.getOutputFormatClass(), conf).getOutputCommitter(context);
    }

    /** For calls on a committer of either API. */
    static TaskAttemptContext context(JobConf conf, TaskAttemptID attempt) {
        return isNew(conf)
                ? new TaskAttemptContextImpl(conf, attempt)
                : new org.apache.hadoop.mapred.TaskAttemptContextImpl(
                        conf, org.apache.hadoop.mapred.TaskAttemptID.downgrade(attempt));
    }
}
