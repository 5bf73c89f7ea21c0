// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.task;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.apache.hadoop.mapred.AMFeedback;
import org.apache.hadoop.mapred.TaskStatus;
import org.apache.hadoop.mapred.TaskUmbilicalProtocol;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.executor.CommitDeniedException;

/**
 * What Hadoop's task takes for its master, in its own process. Whether it may commit is asked of Spark's coordinator,
 * of which there is one, on the driver. A proxy, for the protocol has types that only Hadoop's own package may name.
 */
final class Umbilical implements InvocationHandler {
    private final TaskContext spark;
    private final TaskUmbilicalProtocol protocol;
    private volatile TaskStatus last;
    private volatile boolean hasEnded;

    Umbilical(TaskContext spark) {
        this.spark = spark;
        Class<?>[] types = {TaskUmbilicalProtocol.class};
        this.protocol = (TaskUmbilicalProtocol)
                Proxy.newProxyInstance(TaskUmbilicalProtocol.class.getClassLoader(), types, this);
    }

    /** What the task is given. */
    TaskUmbilicalProtocol protocol() {
        return protocol;
    }

    /** What the task said of itself last; null before it has said anything. */
    TaskStatus last() {
        return last;
    }

    /** A task that failed leaves a thread that reports on for good; an interrupt is what ends it. */
    void end() {
        hasEnded = true;
    }

    /** Of reports, the last counts; of errors, the exception that the task ends with. */
    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
        return switch (method.getName()) {
            case "statusUpdate", "commitPending" -> heard((TaskStatus) arguments[1]);
            case "canCommit" -> mayCommit(arguments[0]);
            case "getProtocolVersion" -> TaskUmbilicalProtocol.versionID;
            case "hashCode" -> System.identityHashCode(proxy);
            case "equals" -> proxy == arguments[0];
            case "toString" -> "umbilical of " + spark.taskAttemptId();
            default -> null;
        };
    }

    private AMFeedback heard(TaskStatus status) {
        if (hasEnded) {
            Thread.currentThread().interrupt();
        } else if (status != null) {
            last = status;
        }
        AMFeedback known = new AMFeedback();
        known.setTaskFound(true);
        return known;
    }

    private boolean mayCommit(Object attempt) throws CommitDeniedException {
        int stage = spark.stageId();
        int partition = spark.partitionId();
        int number = spark.attemptNumber();
        if (SparkEnv.get().outputCommitCoordinator().canCommit(stage, spark.stageAttemptNumber(), partition, number)) {
            return true;
        }
        // Hadoop's task would ask again for good; another attempt has the word, or this job's stage has ended.
        String said = attempt + ": another attempt of this task commits";
        throw new CommitDeniedException(said, stage, partition, number);
    }
}
