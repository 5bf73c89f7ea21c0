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
    private static final String PREFIX = "sparkgap-recording-";
    private static final String SUFFIX = ".jfr";

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
            recording.setDestination(Files.createTempFile(folder, PREFIX, SUFFIX));
            recording.setDumpOnExit(true);
            recording.start();
            return recording;
        } catch (ParseException e) {
            throw new IOException(e);
        }
    }

    /**
     * A JVM that is told to end writes and closes all recordings by itself, while Spark stops this executor. To stop
     * one beside that can leave an empty file: what is recorded may be thrown away between the stop and the writing. A
     * dump is one step under the recorder's lock. It has everything before Java closed the recording, and fails after;
     * what Java wrote is whole then.
     */
    private static byte[] taken(Recording recording) throws IOException {
        Path written = recording.getDestination();
        Path dumped = null;
        try {
            dumped = Files.createTempFile(written.getParent(), PREFIX, SUFFIX);
            recording.dump(dumped);
            return Files.readAllBytes(dumped);
        } catch (IOException e) {
            if (recording.getState() != RecordingState.CLOSED) {
                throw e;
            }
            return Files.readAllBytes(written);
        } finally {
            recording.close();
            Files.deleteIfExists(written);
            if (dumped != null) {
                Files.deleteIfExists(dumped);
            }
        }
    }
}
