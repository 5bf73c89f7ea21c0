// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.profile;

import java.io.Serializable;
import java.util.List;

/**
 * What an executor's sampler wrote since the last time, lines of JSON; and when they were sent, by its host's clock.
 */
final class SampledLines implements Serializable {
    private static final long serialVersionUID = 1;

    private final String executor;
    private final long sentMs;
    private final String[] lines;

    SampledLines(String executor, long sentMs, List<String> lines) {
        this.executor = executor;
        this.sentMs = sentMs;
        this.lines = lines.toArray(new String[0]);
    }

    /** One line: with both clocks, whoever reads it can tell how far they are apart. */
    String json(long receivedMs) {
        return String.format(
                "{\"executor\":\"%s\",\"sent_ms\":%d,\"received_ms\":%d,\"lines\":[%s]}",
                executor, sentMs, receivedMs, String.join(",", lines));
    }
}
