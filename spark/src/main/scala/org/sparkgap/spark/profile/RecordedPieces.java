// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.profile;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.spark.api.plugin.PluginContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends the driver what Java records of this executor: one that is killed has taken the last seconds alone with it. */
final class RecordedPieces {
    private static final Logger LOG = LoggerFactory.getLogger(RecordedPieces.class);
    private static final long SEND_S = 10;
    // Of a message of Spark, whose own bound is 128 MiB. In ten seconds there is less than one of recordings.
    private static final int MOST_BYTES = 64 << 20;

    private final PluginContext plugin;
    private final PiecewiseRecording recording;
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(work -> {
        Thread thread = new Thread(work, "sparkgap-recording");
        thread.setDaemon(true);
        return thread;
    });

    private RecordedPieces(PluginContext plugin) throws IOException {
        this.plugin = plugin;
        recording = new PiecewiseRecording(Path.of("").toAbsolutePath());
        clock.scheduleWithFixedDelay(() -> send(recording::next), SEND_S, SEND_S, TimeUnit.SECONDS);
    }

    /** Null where Java cannot record. */
    static RecordedPieces start(PluginContext plugin) {
        String why = "its Java has no Flight Recorder";
        try {
            if (PiecewiseRecording.isPossible()) {
                return new RecordedPieces(plugin);
            }
        } catch (IOException | RuntimeException e) {
            why = e.toString();
        }
        LOG.warn("profile: executor {} is not recorded: {}", plugin.executorID(), why);
        return null;
    }

    private interface Piece {
        byte[] get() throws IOException;
    }

    private void send(Piece piece) {
        try {
            byte[] found = piece.get();
            if (found.length <= MOST_BYTES) {
                plugin.send(new RecordedPiece(plugin.executorID(), found));
            } else {
                LOG.warn("profile: {} bytes of executor {} are too many", found.length, plugin.executorID());
            }
        } catch (IOException | RuntimeException e) {
            LOG.warn("profile: stacks of executor {} are lost: {}", plugin.executorID(), e.toString());
        }
    }

    /** The last piece is on its way then. */
    void end() {
        clock.shutdown();
        send(recording::end);
    }
}
