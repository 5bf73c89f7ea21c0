// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/**
 * A fuzz target (make fuzz): a manifest or a rank's report with some of its values changed is refused in one of the
 * ways that its reader names, or read.
 */
public final class JsonFuzz {
    private static final Path FOLDER = Path.of(System.getProperty("sparkgap.seeds"));
    private static final List<SeedJson> SEEDS = List.of(
            new SeedJson(FOLDER, "manifest"), new SeedJson(FOLDER, "manifest_graph"), new SeedJson(FOLDER, "done"));
    private static final Consumer<Path> REPORTS = reports();
    private static final Path FILE = Fuzzed.file("done-0.json");

    private JsonFuzz() {}

    public static void fuzzerTestOneInput(byte[] program) throws IOException {
        if (program.length == 0) {
            return;
        }
        Files.write(
                FILE,
                SEEDS.get((program[0] & 0xFF) % SEEDS.size()).changed(ByteBuffer.wrap(program, 1, program.length - 1)));
        try {
            Manifest manifest = Manifest.read(FILE);
            manifest.rows();
            manifest.bytes();
            Path again = FILE.resolveSibling("again.json");
            manifest.write(again);
            if (!manifest.equals(Manifest.read(again))) {
                throw new AssertionError("what was read is not what is written: " + manifest);
            }
        } catch (SparkGapException e) {
            if (e.code() != SparkGapException.DATA) {
                throw e;
            }
        }
        REPORTS.accept(FILE.getParent());
    }

    @SuppressWarnings("unchecked")
    private static Consumer<Path> reports() {
        return (Consumer<Path>) Fuzzed.reader("sparkgap.fuzz.reports");
    }
}
