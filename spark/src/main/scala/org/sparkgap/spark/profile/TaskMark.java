// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.profile;

import jdk.jfr.Category;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** The time in which a thread ran a task. Threads are named for their pool, so nothing else in a recording says it. */
@Name(TaskMark.NAME)
@Label("Task of Spark")
@Category("Spark")
@StackTrace(false)
final class TaskMark extends Event {
    static final String NAME = "org.sparkgap.Task";

    @Label("Stage")
    int stage;

    @Label("Attempt at the stage")
    int stageAttempt;

    @Label("Task")
    long task;
}
