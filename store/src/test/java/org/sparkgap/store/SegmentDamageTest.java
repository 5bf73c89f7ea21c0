// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sun.misc.Unsafe;

/** Files whose numbers lie. They are read by a process of their own: what is not refused may end the JVM. */
class SegmentDamageTest {
    private static final Path SEEDS = Path.of(System.getProperty("sparkgap.seeds"));
    private final SeedFile edges = new SeedFile(SEEDS, "edges");
    private final SeedFile flat = new SeedFile(SEEDS, "flat");

    @TempDir
    Path scratch;

    @Test
    void theSeedsThemselvesAreRead() throws Exception {
        List<byte[]> seeds = SeedFile.all(SEEDS).stream().map(SeedFile::bytes).toList();
        assertEquals(Collections.nCopies(seeds.size(), "0"), read(seeds));
    }

    @Test
    void aBodyNearTwoToThe63IsOutside() throws Exception {
        byte[] bytes = edges.bytes();
        edges.set(bytes, "footer.3[0].body", Long.MAX_VALUE - 7);
        edges.set(bytes, "batch0.2.2[1].offset", 1L << 40);
        refused("batch 0 inside the file", List.of(bytes));
    }

    @Test
    void aBatchBeyondTwoToThe31IsOutside() throws Exception {
        refused(
                "batch 0 inside the file",
                changed(edges, "footer.3[0].offset", 1L << 32, Long.MAX_VALUE, Long.MAX_VALUE - 300, -8));
    }

    @Test
    void nullsAreAsManyAsTheBitsSay() throws Exception {
        refused(
                "nulls in batch 0 of column flag, as its bits say",
                changed(flat, "batch0.2.1[0].nulls", 2, 3, 4, -2, Long.MIN_VALUE, Long.MAX_VALUE));
        refused("expected 1 bytes in batch 0 of column src, found 0 bytes", changed(edges, "batch0.2.1[0].nulls", 1));
    }

    @Test
    void aListOfBuffersHasOneForEachPart() throws Exception {
        refused("3 columns of 3 parts in batch 0", changed(edges, "batch0.2.2.count", 0, 5, 7, Integer.MAX_VALUE, -1));
    }

    @Test
    void batchesDoNotShareTheirBytes() throws Exception {
        byte[] bytes = edges.bytes();
        long body = edges.get(bytes, "footer.3[0].offset") + edges.get(bytes, "footer.3[0].metadata");
        refused(
                "batches that lie beside each other",
                changed(edges, "footer.3[0].body", bytes.length - body)); // over the second one and the footer
    }

    private static List<byte[]> changed(SeedFile seed, String field, long... values) {
        return LongStream.of(values)
                .mapToObj(value -> {
                    byte[] bytes = seed.bytes();
                    seed.set(bytes, field, value);
                    return bytes;
                })
                .toList();
    }

    private void refused(String expected, List<byte[]> files) throws Exception {
        for (String found : read(files)) {
            assertTrue(found.startsWith("3 ") && found.contains(expected), found);
        }
    }

    /** A line for each file of a process that reads them: a status, and the words with it. */
    private List<String> read(List<byte[]> files) throws Exception {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        List<String> command = new ArrayList<>(List.of(
                java,
                "-Xmx64m",
                "-XX:ErrorFile=/dev/null",
                "-XX:-CreateCoredumpOnCrash",
                "-cp",
                System.getProperty("java.class.path"),
                Reader.class.getName()));
        for (int i = 0; i < files.size(); i++) {
            command.add(Files.write(scratch.resolve("damaged-" + i + ".arrow"), files.get(i))
                    .toString());
        }
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        List<String> lines = process.inputReader().lines().toList();
        assertEquals(0, process.waitFor(), () -> "the JVM ended: " + String.join("\n", lines));
        assertEquals(files.size(), lines.size());
        return lines;
    }

    /** Opens a segment and touches both ends of every buffer. */
    static final class Reader {
        private static Unsafe memory;

        public static void main(String[] args) throws Exception {
            Field instance = Unsafe.class.getDeclaredField("theUnsafe");
            instance.setAccessible(true);
            memory = (Unsafe) instance.get(null);
            for (String file : args) {
                try {
                    Segment segment = Segment.open(Path.of(file));
                    for (int batch = 0; batch < segment.batches(); batch++) {
                        for (int column = 0; column < segment.columns().size(); column++) {
                            touch(segment.place(batch, column));
                        }
                    }
                    System.out.println("0");
                } catch (SparkGapException e) {
                    System.out.println(e.code() + " " + e.text());
                }
            }
        }

        private static void touch(ColumnPlace place) {
            int rows = place.rows();
            ends(place.validity(), (rows + 7) / 8);
            ends(place.offsets(), rows == 0 ? 0 : 4L * (rows + 1));
            ends(place.values(), place.dataBytes());
            place.children().forEach(Reader::touch);
        }

        private static void ends(long address, long bytes) {
            if (address != 0 && bytes > 0) {
                memory.getByte(address);
                memory.getByte(address + bytes - 1);
            }
        }
    }
}
