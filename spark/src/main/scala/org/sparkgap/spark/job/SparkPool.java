// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.job;

import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.SparkEnv;
import org.apache.spark.memory.MemoryManager;
import org.apache.spark.memory.MemoryMode;

/**
 * A share of this process's pool of off-heap execution memory, as a task of Spark would take it: cached blocks leave
 * for it as far as spark.memory.storageFraction lets them. Nothing is allocated; the pool only keeps count.
 *
 * <p>It is taken under a number that no task has, so that it belongs to no task and ends with none. MemoryManager has
 * no promise of stability (tested on Spark 4.3); Scala hides it from other packages but Java does not, so this file
 * alone is Java.
 */
public final class SparkPool {
    /** Numbers of tasks begin at 0, and Spark has some small negative ones of its own. */
    private static final AtomicLong NUMBERS = new AtomicLong(-(1L << 40));

    private final MemoryManager manager = SparkEnv.get().memoryManager();
    private final long number = NUMBERS.decrementAndGet();

    /**
     * Whether this process has such a pool, and runs tasks: a driver beside its executors has one too, in which nothing
     * is.
     */
    public static boolean isOn() {
        SparkEnv env = SparkEnv.get();
        if (env == null || !env.conf().getBoolean("spark.memory.offHeap.enabled", false)) {
            return false;
        }
        String master = env.conf().get("spark.master", "");
        boolean runsTasks = !env.executorId().equals("driver") || master.equals("local") || master.startsWith("local[");
        return runsTasks && env.memoryManager().maxOffHeapMemory() > 0;
    }

    /** Bytes of the pool that tasks and jobs hold now; caches are not among them. */
    public static long usedBytes() {
        return SparkEnv.get().memoryManager().offHeapExecutionMemoryUsed();
    }

    /** Bytes of the pool, those that caches take among them. */
    public static long sizeBytes() {
        return SparkEnv.get().memoryManager().maxOffHeapMemory();
    }

    /**
     * The bytes that it got. Waits while Spark writes blocks to disk, and while less than a fair share is free because
     * other tasks hold more than theirs.
     */
    long acquire(long bytes) {
        return manager.acquireExecutionMemory(bytes, number, MemoryMode.OFF_HEAP);
    }

    /** Gives all of it back. */
    void release() {
        manager.releaseAllExecutionMemoryForTask(number);
    }
}
