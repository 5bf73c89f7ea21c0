// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.profile;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.ParseException;
import jdk.jfr.Configuration;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import jdk.jfr.RecordingState;

/** What Java's Flight Recorder records of this JVM, piece after piece: each goes out as soon as it is whole. */
final class PiecewiseRecording {
    private static final long HOOK_MS = 1000;
    private static final long LOOK_MS = 10;

    private final Path folder;
    private Recording current;

    /** Begins, with a file in that folder for the piece that is being made. */
    PiecewiseRecording(Path folder) throws IOException {
        this.folder = folder;
        current = started();
    }

    static boolean isPossible() {
        return ModuleLayer.boot().findModule("jdk.jfr").isPresent() && FlightRecorder.isAvailable();
    }

    /** What was recorded since the last call. The next piece begins first, so that nothing is between them. */
    synchronized byte[] next() throws IOException {
        Recording whole = current;
        current = started();
        return taken(whole);
    }

    /** What was recorded since the last call, and no more after it. */
    synchronized byte[] end() throws IOException {
        return taken(current);
    }

    private Recording started() throws IOException {
        try {
            Recording recording = new Recording(Configuration.getConfiguration("default"));
            recording.setDestination(Files.createTempFile(folder, "sparkgap-recording-", ".jfr"));
            recording.setDumpOnExit(true);
            recording.start();
            return recording;
        } catch (ParseException e) {
            throw new IOException(e);
        }
    }

    private static byte[] taken(Recording recording) throws IOException {
        Path file = recording.getDestination();
        try {
            recording.stop();
        } catch (IllegalStateException e) {
            waitForJava(recording);
        }
        try {
            return Files.readAllBytes(file);
        } finally {
            recording.close();
            Files.deleteIfExists(file);
        }
    }

    /** A JVM that is told to end writes all recordings by itself, at the same time as Spark stops this executor. */
    private static void waitForJava(Recording recording) throws IOException {
        long deadline = System.currentTimeMillis() + HOOK_MS;
        try {
            while (recording.getState() != RecordingState.CLOSED && System.currentTimeMillis() < deadline) {
                Thread.sleep(LOOK_MS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }
}
