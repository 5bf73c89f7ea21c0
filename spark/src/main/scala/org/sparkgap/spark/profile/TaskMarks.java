// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.profile;

import org.apache.spark.TaskContext;

/** Marks the tasks of an executor while a recording runs; costs nothing otherwise. */
public final class TaskMarks {
    private static final boolean HAS_RECORDER =
            ModuleLayer.boot().findModule("jdk.jfr").isPresent();

    private final ThreadLocal<TaskMark> open = new ThreadLocal<>();

    /** Call it on the task's thread, once Spark has set its context. */
    public void begin() {
        TaskContext context = TaskContext.get();
        if (!HAS_RECORDER || context == null) {
            return;
        }
        TaskMark mark = new TaskMark();
        if (mark.isEnabled()) {
            mark.stage = context.stageId();
            mark.stageAttempt = context.stageAttemptNumber();
            mark.task = context.taskAttemptId();
            mark.begin();
            open.set(mark);
        }
    }

    /** Call it on the same thread. */
    public void end() {
        if (!HAS_RECORDER) {
            return;
        }
        TaskMark mark = open.get();
        if (mark != null) {
            open.remove();
            mark.commit();
        }
    }
}
