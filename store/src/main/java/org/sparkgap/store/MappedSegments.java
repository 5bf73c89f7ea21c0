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
 * The segments that a process reads, each mapped once for all tasks.
 *
 * <p>A deleted file keeps its memory as long as it is mapped, so this class unmaps forgotten files. Closed leases are
 * not enough: threads that outlive their task may still hold vectors, and a read at an unmapped address ends the JVM.
 * So a reader of an address keeps a reference to the lease, and the mapping ends a while after the collector has found
 * every lease unreachable. A lease is as young as its task, so most collections find it. If none runs,
 * {@link #heldBytes} says how much one would free.
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

        /** Notes that its task has ended. */
        @Override
        public void close() {
            synchronized (MappedSegments.this) {
                hold.close();
            }
        }
    }

    /** Refers to a lease without keeping it reachable. */
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

    /** Errors: code 3 if the file is gone or damaged. */
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

    /** Notes that the path now has another file, or none. */
    public synchronized void forget(Path path) {
        Entry entry = entries.remove(path);
        if (entry != null) {
            forgotten.add(entry);
        }
    }

    /** The same for all files of a folder. */
    public synchronized void forgetBelow(Path folder) {
        entries.keySet().stream()
                .filter(path -> path.startsWith(folder))
                .toList()
                .forEach(this::forget);
    }

    /** Unmaps forgotten files that have had no lease for that time. Returns the bytes of those still mapped. */
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
     * Bytes of forgotten files whose tasks all ended at least that long ago, without a collection since: only one would
     * tell whether they still have a reader.
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
