// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.task;

import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.util.AccumulatorV2;

/**
 * The tasks of a stage that have succeeded, by number. A task that Spark runs again, as after a lost host, takes the
 * place of the one before: its counters count once.
 */
public final class DoneTasks extends AccumulatorV2<Map.Entry<Integer, TaskDone>, Map<Integer, TaskDone>> {
    private static final long serialVersionUID = 1;
    private final TreeMap<Integer, TaskDone> done = new TreeMap<>();

    @Override
    public synchronized boolean isZero() {
        return done.isEmpty();
    }

    @Override
    public synchronized AccumulatorV2<Map.Entry<Integer, TaskDone>, Map<Integer, TaskDone>> copy() {
        DoneTasks made = new DoneTasks();
        made.done.putAll(done);
        return made;
    }

    @Override
    public synchronized void reset() {
        done.clear();
    }

    @Override
    public synchronized void add(Map.Entry<Integer, TaskDone> task) {
        done.put(task.getKey(), task.getValue());
    }

    @Override
    public void merge(AccumulatorV2<Map.Entry<Integer, TaskDone>, Map<Integer, TaskDone>> other) {
        Map<Integer, TaskDone> more = other.value();
        synchronized (this) {
            done.putAll(more);
        }
    }

    /** A copy, for the listener's thread goes on adding. */
    @Override
    public synchronized Map<Integer, TaskDone> value() {
        return new TreeMap<>(done);
    }
}
