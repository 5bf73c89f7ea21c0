// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;

/** The segments of this process that may move from memory to disk, the least recently used first. */
public final class EvictableSegments {
    /** After this number of failed moves a call gives up: the disk may be full, and each try costs a copy. */
    private static final int TRIES = 3;

    private final Map<Path, Boolean> byUse = new LinkedHashMap<>(16, 0.75f, true);
    private final MappedSegments mapped;

    public EvictableSegments(MappedSegments mapped) {
        this.mapped = mapped;
    }

    public synchronized void add(Path segment) {
        byUse.put(segment, Boolean.TRUE);
    }

    /** Notes that it was read. */
    public synchronized void use(Path segment) {
        byUse.get(segment);
    }

    public synchronized void remove(Path segment) {
        byUse.remove(segment);
    }

    public synchronized void removeBelow(Path folder) {
        byUse.keySet().removeIf(segment -> segment.startsWith(folder));
    }

    /**
     * Moves one that has no reader; false if there is none, or no room on disk. One that cannot be moved stays and goes
     * to the end of the list, so that the next call starts with another.
     *
     * @param folder the target of a folder's segments
     */
    public boolean evict(UnaryOperator<Path> folder) {
        int tries = Math.min(TRIES, size());
        while (tries > 0) {
            Path segment = oldest();
            if (segment == null) {
                return false;
            }
            if (!Files.isRegularFile(segment)) {
                continue; // its table was removed
            }
            try {
                SegmentMove.to(folder.apply(segment.getParent()), segment);
            } catch (SparkGapException failed) {
                add(segment);
                tries--;
                continue;
            }
            mapped.forget(segment);
            return true;
        }
        return false;
    }

    private synchronized int size() {
        return byUse.size();
    }

    /** Takes it out of the list. */
    private synchronized Path oldest() {
        for (Path segment : byUse.keySet()) {
            if (!mapped.isRead(segment)) {
                byUse.remove(segment);
                return segment;
            }
        }
        return null;
    }
}
