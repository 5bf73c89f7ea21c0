// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import java.util.List;
import org.sparkgap.store.SparkGapException;

/** A job that failed: the first cause, with rank, host and signal where they are known, and the last lines of its log. */
public class JobException extends SparkGapException {
  private static final long serialVersionUID = 1L;

  private final Integer rank;
  private final String host;
  private final Integer signal;
  private final List<String> logTail;

  /** Rank, host and signal may be null; the log's lines go into the message for lost jobs only. */
  public JobException(int code, String text, Integer rank, String host, Integer signal, List<String> logTail) {
    super(code, marks(rank, host, signal), withLog(code, text, logTail), null);
    this.rank = rank;
    this.host = host;
    this.signal = signal;
    this.logTail = List.copyOf(logTail);
  }

  public Integer rank() {
    return rank;
  }

  public String host() {
    return host;
  }

  public Integer signal() {
    return signal;
  }

  public List<String> logTail() {
    return logTail;
  }

  private static String marks(Integer rank, String host, Integer signal) {
    StringBuilder marks = new StringBuilder();
    if (rank != null) {
      marks.append(",\"rank\":").append(rank);
    }
    if (host != null) {
      marks.append(",\"host\":\"").append(host.replaceAll("[\"\\\\\\p{Cntrl}]", "_")).append('"');
    }
    if (signal != null) {
      marks.append(",\"signal\":").append(signal);
    }
    return marks.toString();
  }

  private static String withLog(int code, String text, List<String> logTail) {
    return code == LOST && !logTail.isEmpty() ? text + "\n" + String.join("\n", logTail) : text;
  }
}
