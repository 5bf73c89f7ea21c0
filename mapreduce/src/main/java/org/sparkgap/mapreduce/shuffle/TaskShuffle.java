// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.shuffle;

import java.io.IOException;
import java.util.Collections;
import java.util.Iterator;
import org.apache.spark.TaskContext;
import scala.Tuple2;

/**
 * What a task of Spark shares with the collector or the shuffle consumer that Hadoop's task makes, in the same thread:
 * a map task's records by partition, and those that come to a reduce task.
 */
public final class TaskShuffle implements AutoCloseable {
    private static final ThreadLocal<TaskShuffle> CURRENT = new ThreadLocal<>();
    private final TaskContext task;
    private final Iterator<Tuple2<Object, byte[]>> input;
    private SortedRecords output;

    private TaskShuffle(TaskContext task, Iterator<Tuple2<Object, byte[]>> input) {
        this.task = task;
        this.input = input;
    }

    /** Of the task that this thread is about to run; close ends it. `input` of a map task is empty. */
    public static TaskShuffle open(TaskContext task, Iterator<Tuple2<Object, byte[]>> input) {
        TaskShuffle made = new TaskShuffle(task, input);
        CURRENT.set(made);
        return made;
    }

    static TaskShuffle current() {
        return CURRENT.get();
    }

    TaskContext task() {
        return task;
    }

    Iterator<Tuple2<Object, byte[]>> input() {
        return input;
    }

    void setOutput(SortedRecords records) {
        output = records;
    }

    /** A map task's records, for Spark's shuffle. */
    public Iterator<Tuple2<Object, byte[]>> chunks() throws IOException {
        return output == null ? Collections.emptyIterator() : new Chunks(output);
    }

    @Override
    public void close() {
        CURRENT.remove();
    }
}
