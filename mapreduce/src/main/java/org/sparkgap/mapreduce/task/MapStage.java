// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.task;

import java.util.Collections;
import java.util.Iterator;
import org.apache.hadoop.mapred.MapTask;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.split.JobSplit.TaskSplitIndex;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.broadcast.Broadcast;
import org.sparkgap.mapreduce.shuffle.TaskShuffle;
import scala.Tuple2;

/** What a task of Spark does with one split: chunks of records by partition; none where the job has no reducers. */
public final class MapStage implements FlatMapFunction<Iterator<Split>, Tuple2<Object, byte[]>> {
    private static final long serialVersionUID = 1;
    private final Broadcast<JobDescription> job;
    private final DoneTasks done;

    public MapStage(Broadcast<JobDescription> job, DoneTasks done) {
        this.job = job;
        this.done = done;
    }

    @Override
    public Iterator<Tuple2<Object, byte[]>> call(Iterator<Split> splits) throws Exception {
        if (!splits.hasNext()) {
            return Collections.emptyIterator(); // a job without input has a task of Spark all the same
        }
        Split split = splits.next();
        TaskContext spark = TaskContext.get();
        TaskRun.hold(job.value(), spark, TaskType.MAP);
        JobOnHost here = JobOnHost.of(job.value());
        try (TaskShuffle shuffle = TaskShuffle.open(spark, Collections.emptyIterator())) {
            new TaskRun(here, spark, TaskType.MAP, split.number())
                    .run(
                            (file, attempt) -> new MapTask(
                                    file, attempt, split.number(), new TaskSplitIndex(split.file(), split.offset()), 1),
                            done);
            return shuffle.chunks();
        } finally {
            here.release();
        }
    }
}
