// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Errors of the store's files, code 4. */
final class StoreErrors {
    private static final String CHOOSE = "Do choose another folder with spark.sparkgap.store.dir";

    private StoreErrors() {}

    static SparkGapException cannotWrite(Path directory, IOException cause) {
        String reason = cause instanceof FileSystemException f && f.getReason() != null
                ? f.getReason()
                : String.valueOf(cause.getMessage());
        if (reason.contains("No space left")
                || reason.contains("Disk quota exceeded")
                || reason.contains("File too large")) {
            return noRoom(directory, cause);
        }
        if (cause instanceof AccessDeniedException) {
            reason = "permission denied";
        }
        return unusable(directory, "a folder that can be written", reason, cause);
    }

    static SparkGapException unusable(Path directory, String expected, String found, Throwable cause) {
        return new SparkGapException(
                SparkGapException.NO_ROOM,
                SparkGapException.sentence("spark.sparkgap.store.dir " + directory, expected, found, CHOOSE),
                cause);
    }

    /** The store's lock was not released in time. */
    static SparkGapException busy(Path directory, String expected) {
        return new SparkGapException(
                SparkGapException.NO_ROOM,
                "spark.sparkgap.store.dir " + directory,
                expected,
                "it held by another process",
                "Do try again when that is done");
    }

    private static SparkGapException noRoom(Path directory, IOException cause) {
        String free;
        try {
            free = Files.getFileStore(directory).getUsableSpace() + " bytes free";
        } catch (IOException e) {
            free = "a full device";
        }
        return new SparkGapException(
                SparkGapException.NO_ROOM,
                SparkGapException.sentence(
                        "spark.sparkgap.store.dir " + directory,
                        "room for more",
                        free,
                        "Do drop tables, or choose a larger device with spark.sparkgap.store.dir"),
                cause);
    }
}
