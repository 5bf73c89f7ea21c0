// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.task;

/** A task has had all attempts that its job allows. The driver then ends the job, whatever Spark would try yet. */
public final class LastAttemptFailed extends RuntimeException {
    private static final long serialVersionUID = 1;

    LastAttemptFailed(String message) {
        super(message);
    }
}
