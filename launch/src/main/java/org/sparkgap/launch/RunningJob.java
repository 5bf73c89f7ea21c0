// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** A call that is under way, from its first export to its result. Seen by other threads through {@link Jobs}. */
public final class RunningJob implements AutoCloseable {
  /** Longer than any progress line. */
  private static final int TAIL_BYTES = 4096;
  private static final ObjectMapper JSON = new ObjectMapper();

  private final String id;
  private final String kernel;
  private final Thread thread = Thread.currentThread();
  private final long start = System.nanoTime();
  private volatile String phase = "export";
  private volatile Path progress;
  private volatile long ownDone;
  private volatile long ownOf;

  RunningJob(String id, String kernel) {
    this.id = id;
    this.kernel = kernel;
  }

  public String id() {
    return id;
  }

  /** Names what the call does outside of the program. */
  public void phase(String name) {
    progress = null;
    phase = name;
  }

  /** How far the phase is, where it is no program's. */
  public void progress(long done, long of) {
    ownDone = done;
    ownOf = of;
  }

  void follow(Path progressFile) {
    phase = "launch";
    progress = progressFile;
  }

  /** Where the program has written progress, its last line; the file is read only when somebody asks. */
  public JobStatus status() {
    double elapsed = (System.nanoTime() - start) / 1e9;
    Path file = progress;
    JsonNode last = file == null ? null : lastLine(file);
    if (last == null) {
      return new JobStatus(id, kernel, phase, ownDone, ownOf, -1, elapsed);
    }
    return new JobStatus(id, kernel, last.path("phase").asText(phase), last.path("iteration").asLong(), last.path("of").asLong(),
        last.path("residual").asDouble(-1), elapsed);
  }

  /** Interrupts the thread of the call, which then kills the job's processes. */
  void cancel() {
    thread.interrupt();
  }

  @Override
  public void close() {
    Jobs.end(this);
  }

  private static JsonNode lastLine(Path file) {
    try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
      long from = Math.max(0, in.length() - TAIL_BYTES);
      byte[] bytes = new byte[(int) (in.length() - from)];
      in.seek(from);
      in.readFully(bytes);
      String text = new String(bytes, StandardCharsets.UTF_8);
      int end = text.lastIndexOf('\n');
      return end < 0 ? null : JSON.readTree(text.substring(text.lastIndexOf('\n', end - 1) + 1, end));
    } catch (IOException none) {
      return null;
    }
  }
}
