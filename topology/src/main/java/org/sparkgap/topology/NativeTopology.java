// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.LongFunction;

/**
 * hwloc's own topology, and who may touch it when: many threads read, one changes or frees it. Without the lock a
 * close() beside a bind() would end the JVM; with it the second one is told that the topology is closed.
 */
final class NativeTopology implements AutoCloseable {
    private final ReadWriteLock lock = new ReentrantReadWriteLock();
    private long address;

    NativeTopology(long address) {
        this.address = address;
    }

    <T> T read(LongFunction<T> call) {
        return locked(lock.readLock(), call);
    }

    <T> T change(LongFunction<T> call) {
        return locked(lock.writeLock(), call);
    }

    @Override
    public void close() {
        lock.writeLock().lock();
        try {
            if (address != 0) {
                Calls.hwloc_topology_destroy(address);
                address = 0;
            }
        } finally {
            lock.writeLock().unlock();
        }
    }

    private <T> T locked(Lock part, LongFunction<T> call) {
        part.lock();
        try {
            if (address == 0) {
                throw HwlocException.refused(
                        "topology", "one that is open", "one that was closed", "call this before close()");
            }
            return call.apply(address);
        } finally {
            part.unlock();
        }
    }
}
