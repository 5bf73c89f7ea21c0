// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The segments that a process reads, each mapped once however many tasks read it.
 *
 * <p>A deleted file takes memory as long as it is mapped, so the mapping of a file that was forgotten is ended here.
 * That its readers have closed their leases is not enough: threads that outlive their task may hold vectors still, and
 * a read at an address that is mapped no more ends the JVM. So a reader of an address keeps a reference to the lease,
 * and the mapping ends a while after the collector has found every lease unreachable. A lease is as young as its task:
 * most collections find it. Where none comes by, {@link #heldBytes} says what one would free.
 */
public final class MappedSegments {
    private final Map<Path, Entry> entries = new HashMap<>();
    private final List<Entry> forgotten = new ArrayList<>();
    private final ReferenceQueue<Lease> collected = new ReferenceQueue<>();

    /** A reader's hold on a segment: its addresses are valid as long as this object is reachable. */
    public final class Lease implements AutoCloseable {
        private final Entry entry;
        private final Hold hold;

        private Lease(Entry entry) {
            this.entry = entry;
            this.hold = new Hold(this, entry);
            entry.holds.add(hold);
        }

        public Segment segment() {
            return entry.segment;
        }

        /** Says that its task has ended. */
        @Override
        public void close() {
            synchronized (MappedSegments.this) {
                hold.close();
            }
        }
    }

    /** What is known of a lease without keeping it. */
    private final class Hold extends WeakReference<Lease> {
        private final Entry entry;
        private boolean closed;

        private Hold(Lease lease, Entry entry) {
            super(lease, collected);
            this.entry = entry;
        }

        private void close() {
            if (!closed) {
                closed = true;
                entry.readers--;
                entry.idleSince = System.nanoTime();
            }
        }
    }

    private static final class Entry {
        private final Segment segment;
        /** Leases that the collector has not found unreachable. */
        private final Set<Hold> holds = new HashSet<>();
        /** Leases that are not closed. */
        private int readers;

        private long idleSince = System.nanoTime();

        private Entry(Segment segment) {
            this.segment = segment;
        }
    }

    /** Errors: code 3 where the file is gone or damaged. */
    public synchronized Lease open(Path path) {
        Entry entry = entries.get(path);
        if (entry == null) {
            entry = new Entry(Segment.open(path));
            entries.put(path, entry);
        }
        entry.readers++;
        reap();
        return new Lease(entry);
    }

    /** Whether it has a reader now. */
    public synchronized boolean isRead(Path path) {
        Entry entry = entries.get(path);
        return entry != null && entry.readers > 0;
    }

    /** Says that another file is, or none, where this one was. */
    public synchronized void forget(Path path) {
        Entry entry = entries.remove(path);
        if (entry != null) {
            forgotten.add(entry);
        }
    }

    /** Says so of all files of a folder. */
    public synchronized void forgetBelow(Path folder) {
        entries.keySet().stream()
                .filter(path -> path.startsWith(folder))
                .toList()
                .forEach(this::forget);
    }

    /** Unmaps what was forgotten and has had no lease for that long; bytes that are mapped still. */
    public synchronized long unmapForgotten(long idleNanos) {
        reap();
        long now = System.nanoTime();
        for (Iterator<Entry> all = forgotten.iterator(); all.hasNext(); ) {
            Entry entry = all.next();
            if (entry.holds.isEmpty() && now - entry.idleSince >= idleNanos) {
                all.remove();
                entry.segment.unmap();
            }
        }
        return mappedBytes();
    }

    /**
     * Bytes of forgotten files whose tasks have all ended that long ago, without a collection since: one would tell
     * whether they still have a reader.
     */
    public synchronized long heldBytes(long idleNanos) {
        reap();
        long now = System.nanoTime();
        return forgotten.stream()
                .filter(entry -> entry.readers == 0 && !entry.holds.isEmpty() && now - entry.idleSince >= idleNanos)
                .mapToLong(entry -> entry.segment.bytes())
                .sum();
    }

    public synchronized long mappedBytes() {
        long bytes = 0;
        for (Entry entry : entries.values()) {
            bytes += entry.segment.bytes();
        }
        for (Entry entry : forgotten) {
            bytes += entry.segment.bytes();
        }
        return bytes;
    }

    private void reap() {
        for (Reference<?> found = collected.poll(); found != null; found = collected.poll()) {
            Hold hold = (Hold) found;
            hold.close();
            hold.entry.holds.remove(hold);
            hold.entry.idleSince = System.nanoTime();
        }
    }
}
