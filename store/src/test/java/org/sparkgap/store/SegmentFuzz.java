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
 * A fuzz target (make fuzz): an Arrow file with some of its numbers changed is refused as bad data, or every value of
 * it can be read.
 */
public final class SegmentFuzz {
    private static final List<SeedFile> SEEDS = SeedFile.all(Path.of(System.getProperty("sparkgap.seeds")));
    private static final Consumer<Segment> READER = reader();
    private static final Path FILE = Fuzzed.file("segment.arrow");

    private SegmentFuzz() {}

    public static void fuzzerTestOneInput(byte[] program) throws IOException {
        if (program.length == 0) {
            return;
        }
        byte[] bytes =
                SEEDS.get((program[0] & 0xFF) % SEEDS.size()).changed(ByteBuffer.wrap(program, 1, program.length - 1));
        Files.write(FILE, bytes); // it stays, to find what ended the JVM
        Segment segment = null;
        try {
            segment = Segment.open(FILE);
            READER.accept(segment);
        } catch (SparkGapException e) {
            if (e.code() != SparkGapException.DATA) {
                throw e;
            }
        } finally {
            if (segment != null) {
                segment.unmap();
            }
        }
    }

    @SuppressWarnings("unchecked")
    private static Consumer<Segment> reader() {
        return (Consumer<Segment>) Fuzzed.reader("sparkgap.fuzz.segments");
    }
}
