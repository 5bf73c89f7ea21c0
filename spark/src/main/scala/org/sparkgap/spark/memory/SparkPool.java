// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.memory;

import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.SparkEnv;
import org.apache.spark.memory.MemoryManager;
import org.apache.spark.memory.MemoryMode;

/**
 * A share of this process's pool of off-heap execution memory, taken as a task of Spark takes it: cached blocks make
 * room, as far as spark.memory.storageFraction allows. Nothing is allocated; the pool only keeps count.
 *
 * <p>It is taken under a number that no task has, so it does not end with a task. MemoryManager is not a stable
 * interface (tested on Spark 4.3). Scala hides it from other packages but Java does not, so this file is Java.
 */
public final class SparkPool {
    /** Task numbers begin at 0, and Spark itself uses some small negative ones. */
    private static final AtomicLong NUMBERS = new AtomicLong(-(1L << 40));

    private final MemoryManager manager = SparkEnv.get().memoryManager();
    private final long number = NUMBERS.decrementAndGet();

    /** Whether this process has such a pool, and runs tasks: a driver with executors has one too, but an empty one. */
    public static boolean isOn() {
        SparkEnv env = SparkEnv.get();
        if (env == null || !env.conf().getBoolean("spark.memory.offHeap.enabled", false)) {
            return false;
        }
        String master = env.conf().get("spark.master", "");
        boolean runsTasks = !env.executorId().equals("driver") || master.equals("local") || master.startsWith("local[");
        return runsTasks && env.memoryManager().maxOffHeapMemory() > 0;
    }

    /** Bytes of the pool that tasks and jobs hold now, without caches. */
    public static long usedBytes() {
        return SparkEnv.get().memoryManager().offHeapExecutionMemoryUsed();
    }

    /** Bytes of the pool, with caches. */
    public static long sizeBytes() {
        return SparkEnv.get().memoryManager().maxOffHeapMemory();
    }

    /**
     * Returns the bytes granted. Waits while Spark writes blocks to disk, and while less than a fair share is free
     * because other tasks hold more than theirs.
     */
    long acquire(long bytes) {
        return manager.acquireExecutionMemory(bytes, number, MemoryMode.OFF_HEAP);
    }

    /** Releases all of it. */
    void release() {
        manager.releaseAllExecutionMemoryForTask(number);
    }
}
