// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.chain;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Files in the memory of this JVM, by their blocks of HDFS. What a block has never changes: a file that is written anew
 * has other blocks, and one that grows or shrinks has blocks of another generation or length. So no copy can be stale.
 * Those that were not used for the longest time make room for others.
 */
final class KeptFiles {
    /** A part of the heap. */
    private static final int SHARE = 8;

    /** This JVM's. */
    static final KeptFiles HERE = new KeptFiles(Runtime.getRuntime().maxMemory() / SHARE);

    /** A block as it was when its file was whole. */
    record BlockName(String pool, long id, long generation, long length) {}

    private final Map<List<BlockName>, KeptFile> files = new LinkedHashMap<>(16, 0.75f, true);
    private final long most;
    private long bytes;

    KeptFiles(long most) {
        this.most = most;
    }

    /** The longest file that is kept: tasks of all processors may write one at the same time, and another after it. */
    long longest() {
        return most / (2L * Runtime.getRuntime().availableProcessors());
    }

    synchronized boolean isEmpty() {
        return files.isEmpty();
    }

    synchronized KeptFile find(List<BlockName> blocks) {
        return files.get(blocks);
    }

    synchronized void keep(List<BlockName> blocks, KeptFile file) {
        KeptFile before = files.put(blocks, file);
        bytes += file.length() - (before == null ? 0 : before.length());
        Iterator<KeptFile> oldest = files.values().iterator();
        while (bytes > most) {
            bytes -= oldest.next().length();
            oldest.remove();
        }
    }
}
