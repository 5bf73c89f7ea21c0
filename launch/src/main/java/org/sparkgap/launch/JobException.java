// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import java.nio.file.Path;
import java.util.List;
import org.sparkgap.store.SparkGapException;

/**
 * A job that failed: the first cause, with rank, host and signal where they are known, and the last lines of its log.
 */
public class JobException extends SparkGapException {
    private static final long serialVersionUID = 1L;

    private final Integer rank;
    private final String host;
    private final Integer signal;
    private final List<String> logTail;
    private final String sentence;
    private final Path logs;

    /** Rank, host and signal may be null; the log's lines go into the message for lost jobs only. */
    public JobException(int code, String text, Integer rank, String host, Integer signal, List<String> logTail) {
        this(code, text, rank, host, signal, logTail, null);
    }

    JobException(int code, String text, Integer rank, String host, Integer signal, List<String> logTail, Path logs) {
        super(
                code,
                marks(rank, host, signal, logs),
                withLog(code, logs == null ? text : text + " The ranks' logs are in " + logs + ".", logTail),
                null);
        this.sentence = text;
        this.logs = logs;
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

    /** The folder of this host that keeps the ranks' output, as rank-&lt;r&gt;.log; null if there is none. */
    public Path logs() {
        return logs;
    }

    /** The same error, with the folder of the ranks' logs. */
    JobException withLogs(Path folder) {
        JobException same = withLogs(sentence, folder);
        same.setStackTrace(getStackTrace());
        return same;
    }

    JobException withLogs(String text, Path folder) {
        return new JobException(code(), text, rank, host, signal, logTail, folder);
    }

    private static String marks(Integer rank, String host, Integer signal, Path logs) {
        StringBuilder marks = new StringBuilder();
        if (rank != null) {
            marks.append(",\"rank\":").append(rank);
        }
        if (host != null) {
            marks.append(",\"host\":\"").append(plain(host)).append('"');
        }
        if (signal != null) {
            marks.append(",\"signal\":").append(signal);
        }
        if (logs != null) {
            marks.append(",\"logs\":\"").append(plain(logs.toString())).append('"');
        }
        return marks.toString();
    }

    private static String plain(String text) {
        return text.replaceAll("[\"\\\\{}\\p{Cntrl}]", "_");
    }

    private static String withLog(int code, String text, List<String> logTail) {
        return code == LOST && !logTail.isEmpty() ? text + "\n" + String.join("\n", logTail) : text;
    }
}
