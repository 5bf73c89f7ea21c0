// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.task;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.Serializable;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.security.Credentials;

/**
 * A job on its way to the executors, which each read it once.
 *
 * @param id as Hadoop writes it: job_1700000000000_0001
 * @param folder its folder of Hadoop's staging area
 * @param conf its configuration, as Hadoop serializes it
 * @param credentials of its submitter
 * @param mapAttempts how many a map task has at most, at least one
 * @param reduceAttempts how many a reduce task has at most, at least one
 */
public record JobDescription(
        String id, String folder, byte[] conf, byte[] credentials, int mapAttempts, int reduceAttempts)
        implements Serializable {

    /** What the driver knows of a job. */
    public static JobDescription of(String id, String folder, JobConf conf, Credentials credentials)
            throws IOException {
        return new JobDescription(
                id,
                folder,
                written(conf::write),
                written(credentials::write),
                Math.max(1, conf.getMaxMapAttempts()),
                Math.max(1, conf.getMaxReduceAttempts()));
    }

    /** A configuration of its own, without classes. */
    JobConf read() throws IOException {
        JobConf made = new JobConf(false);
        made.readFields(new DataInputStream(new ByteArrayInputStream(conf)));
        Credentials given = new Credentials();
        given.readFields(new DataInputStream(new ByteArrayInputStream(credentials)));
        made.setCredentials(given);
        return made;
    }

    private interface Body {
        void write(DataOutputStream out) throws IOException;
    }

    private static byte[] written(Body body) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            body.write(out);
        }
        return bytes.toByteArray();
    }
}
