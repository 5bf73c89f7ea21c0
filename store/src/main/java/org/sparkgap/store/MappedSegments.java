// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * The segments that a process reads, each mapped once however many tasks read it.
 *
 * <p>A deleted file takes memory as long as it is mapped, and a collector that has next to no heap to clean does not come round to
 * unmap it. So mappings are counted here and end by our own doing: a while after the file was forgotten and the last reader has
 * given its lease back.
 */
public final class MappedSegments {
  private final Map<Path, Entry> entries = new HashMap<>();
  private final List<Entry> forgotten = new ArrayList<>();

  /** A reader's hold on a segment: its addresses are valid until it is closed. */
  public final class Lease implements AutoCloseable {
    private final Entry entry;
    private boolean closed;

    private Lease(Entry entry) {
      this.entry = entry;
    }

    public Segment segment() {
      return entry.segment;
    }

    @Override
    public void close() {
      synchronized (MappedSegments.this) {
        if (!closed) {
          closed = true;
          entry.readers--;
          entry.idleSince = System.nanoTime();
        }
      }
    }
  }

  private static final class Entry {
    private final Segment segment;
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
    return new Lease(entry);
  }

  /** Whether somebody reads it now. */
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
    entries.keySet().stream().filter(path -> path.startsWith(folder)).toList().forEach(this::forget);
  }

  /** Unmaps what was forgotten and has had no reader for that long; bytes that are mapped still. */
  public synchronized long unmapForgotten(long idleNanos) {
    long now = System.nanoTime();
    for (Iterator<Entry> all = forgotten.iterator(); all.hasNext();) {
      Entry entry = all.next();
      if (entry.readers == 0 && now - entry.idleSince >= idleNanos) {
        all.remove();
        entry.segment.unmap();
      }
    }
    return mappedBytes();
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
}
