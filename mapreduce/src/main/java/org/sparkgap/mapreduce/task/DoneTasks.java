// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.task;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.hadoop.mapred.Counters;
import org.apache.spark.util.AccumulatorV2;

/**
 * The tasks of a stage that have succeeded, by number. A task that Spark runs again, as after a lost host, takes the
 * place of the one before: its counters count once. The value, which Spark's pages and its event log show, is the text
 * of all counters together.
 */
public final class DoneTasks extends AccumulatorV2<Map.Entry<Integer, TaskDone>, String> {
    private static final long serialVersionUID = 1;
    private final TreeMap<Integer, TaskDone> done = new TreeMap<>();
    /** By group, and by name in it. */
    private final TreeMap<String, TreeMap<String, Long>> sums = new TreeMap<>();

    /** A copy, for the listener's thread goes on adding. */
    public synchronized Map<Integer, TaskDone> tasks() {
        return new TreeMap<>(done);
    }

    public synchronized int count() {
        return done.size();
    }

    @Override
    public synchronized boolean isZero() {
        return done.isEmpty();
    }

    @Override
    public synchronized AccumulatorV2<Map.Entry<Integer, TaskDone>, String> copy() {
        DoneTasks made = new DoneTasks();
        done.forEach(made::put);
        return made;
    }

    @Override
    public synchronized void reset() {
        done.clear();
        sums.clear();
    }

    @Override
    public synchronized void add(Map.Entry<Integer, TaskDone> task) {
        put(task.getKey(), task.getValue());
    }

    @Override
    public void merge(AccumulatorV2<Map.Entry<Integer, TaskDone>, String> other) {
        Map<Integer, TaskDone> more = ((DoneTasks) other).tasks();
        synchronized (this) {
            more.forEach(this::put);
        }
    }

    private void put(int number, TaskDone task) {
        count(task, 1);
        TaskDone before = done.put(number, task);
        if (before != null) {
            count(before, -1);
        }
    }

    private void count(TaskDone task, int sign) {
        for (Counters.Group group : task.read()) {
            TreeMap<String, Long> of = sums.computeIfAbsent(group.getDisplayName(), name -> new TreeMap<>());
            for (Counters.Counter counter : group) {
                of.merge(counter.getDisplayName(), sign * counter.getValue(), Long::sum);
            }
        }
    }

    /** {@code Group: Name=1, Name=2; Group: ...}, without those that are zero. */
    @Override
    public synchronized String value() {
        return sums.entrySet().stream()
                .map(group -> group.getValue().entrySet().stream()
                        .filter(counter -> counter.getValue() != 0)
                        .map(counter -> counter.getKey() + "=" + counter.getValue())
                        .collect(Collectors.joining(", ", group.getKey() + ": ", "")))
                .filter(text -> !text.endsWith(": "))
                .collect(Collectors.joining("; "));
    }
}
