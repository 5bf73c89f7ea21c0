// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What the fuzz targets share: a file for each process, and readers of the modules above this one. */
final class Fuzzed {
    private Fuzzed() {}

    static Path file(String name) {
        try {
            return Files.createTempDirectory("sparkgap-fuzz-").resolve(name);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What the system property of that name says reads it: a class of a module above. */
    static Object reader(String property) {
        try {
            return Class.forName(System.getProperty(property))
                    .getDeclaredConstructor()
                    .newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
