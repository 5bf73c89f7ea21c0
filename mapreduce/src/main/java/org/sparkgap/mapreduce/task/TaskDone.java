// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.task;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import org.apache.hadoop.mapred.Counters;

/**
 * What the driver hears of a task that succeeded.
 *
 * @param attempt the id of the attempt, as Hadoop writes it
 * @param counters all of the attempt's, as Hadoop serializes them
 * @param begun milliseconds since 1970
 * @param ended milliseconds since 1970
 */
public record TaskDone(String attempt, byte[] counters, long begun, long ended) implements Serializable {

    static TaskDone of(String attempt, Counters counters, long begun, long ended) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        counters.write(new DataOutputStream(bytes));
        return new TaskDone(attempt, bytes.toByteArray(), begun, ended);
    }

    /** The attempt's counters, to be added to others. */
    public Counters read() {
        try {
            Counters made = new Counters();
            made.readFields(new DataInputStream(new ByteArrayInputStream(counters)));
            return made;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
