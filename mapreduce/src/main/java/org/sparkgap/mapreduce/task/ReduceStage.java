// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.task;

import java.util.Iterator;
import org.apache.hadoop.mapred.ReduceTask;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.VoidFunction;
import org.apache.spark.broadcast.Broadcast;
import org.sparkgap.mapreduce.shuffle.TaskShuffle;
import scala.Tuple2;

/** What a task of Spark does with the records of one partition. */
public final class ReduceStage implements VoidFunction<Iterator<Tuple2<Object, byte[]>>> {
    private static final long serialVersionUID = 1;
    private final Broadcast<JobDescription> job;
    private final DoneTasks done;
    private final int maps;

    public ReduceStage(Broadcast<JobDescription> job, DoneTasks done, int maps) {
        this.job = job;
        this.done = done;
        this.maps = maps;
    }

    @Override
    public void call(Iterator<Tuple2<Object, byte[]>> chunks) throws Exception {
        TaskContext spark = TaskContext.get();
        int number = spark.partitionId();
        TaskRun.hold(job.value(), spark, TaskType.REDUCE);
        JobOnHost here = JobOnHost.of(job.value());
        try (TaskShuffle shuffle = TaskShuffle.open(spark, chunks)) {
            new TaskRun(here, spark, TaskType.REDUCE, number)
                    .run((file, attempt) -> new ReduceTask(file, attempt, number, maps, 1), done);
        } finally {
            here.release();
        }
    }
}
