// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The quota of the memory tier, what is moved out of it, and mappings that end. */
class StoreRoomTest {
    private static final List<Column> COLUMNS = List.of(new Column("id", ColumnType.of(ColumnType.Kind.BIGINT), false));

    @TempDir
    Path scratch;

    private Path segment(StoreHome home, String table) {
        try (SegmentWriter writer = new SegmentWriter(home.segments(table), "part", "node1", COLUMNS, 1 << 20)) {
            for (int i = 0; i < 1000; i++) {
                writer.column(0).appendLong(i);
            }
            writer.advance(1000);
            return Path.of(writer.finish(true).get(0).path());
        }
    }

    @Test
    void countsFilesOfAllHomesOnceAndNoLinks() throws Exception {
        try (StoreHome one = StoreHome.create(scratch.resolve("store"), "a", "1");
                StoreHome other = StoreHome.create(scratch.resolve("store"), "b", "1")) {
            long[] spare = {1 << 20};
            StoreRoom room = new StoreRoom(one.store(), 10_000, () -> spare[0]);
            assertTrue(room.take(6000, () -> false));
            assertFalse(room.take(10_001, () -> true), "more than there ever is");
            Files.write(other.segments("t").resolve("x.arrow"), new byte[9000]);
            Files.createLink(
                    one.segments("t").resolve("y.arrow"), other.segments("t").resolve("x.arrow"));
            Files.createSymbolicLink(
                    one.segments("t").resolve("z.arrow"), other.segments("t").resolve("x.arrow"));
            assertEquals(9000, StoreRoom.usedBytes(one.store()));
            Thread.sleep(250);
            assertFalse(room.take(5000, () -> false), "another process has written");
            assertTrue(room.take(1000, () -> false));
            int[] evictions = {0};
            assertTrue(room.take(2000, () -> {
                evictions[0]++;
                return delete(other.segments("t").resolve("x.arrow"))
                        && delete(one.segments("t").resolve("y.arrow"));
            }));
            assertEquals(1, evictions[0]);
            spare[0] = 100;
            assertFalse(room.take(200, () -> false), "the host has none to spare");
        }
        assertEquals(0, StoreRoom.usedBytes(scratch.resolve("none")));
    }

    @Test
    void theLongestUnusedMovesAndItsReadersGoOn() throws Exception {
        try (StoreHome memory = StoreHome.create(scratch.resolve("store"), "a", "1");
                StoreHome disk = StoreHome.create(scratch.resolve("disk"), "a", "1")) {
            MappedSegments mapped = new MappedSegments();
            EvictableSegments evictable = new EvictableSegments(mapped);
            Path old = segment(memory, "old");
            Path read = segment(memory, "read");
            Path used = segment(memory, "used");
            List.of(read, old, used).forEach(evictable::add);
            MappedSegments.Lease lease = mapped.open(read);
            evictable.use(old);
            evictable.use(used);
            assertTrue(
                    evictable.evict(folder -> disk.segments(folder.getFileName().toString())));
            assertTrue(
                    Files.isSymbolicLink(old) && !Files.isSymbolicLink(read) && !Files.isSymbolicLink(used),
                    "one that is read stays");
            assertEquals(1000, Segment.open(old).totalRows());
            assertTrue(
                    evictable.evict(folder -> disk.segments(folder.getFileName().toString())));
            assertFalse(
                    evictable.evict(folder -> disk.segments(folder.getFileName().toString())),
                    "nothing else that nobody reads");
            assertTrue(Files.isSymbolicLink(used));
            assertEquals(1000, lease.segment().totalRows());
            lease.close();
            evictable.add(read);
            Path full = Files.writeString(scratch.resolve("full"), "a file, no folder");
            assertFalse(evictable.evict(folder -> full), "no room on disk");
            assertTrue(Files.isRegularFile(read) && !Files.isSymbolicLink(read));
            assertTrue(
                    evictable.evict(folder -> disk.segments(folder.getFileName().toString())),
                    "it goes when there is room again");
            assertTrue(Files.isSymbolicLink(read));
        }
    }

    @Test
    void oneThatCannotBeMovedKeepsNoOther() throws Exception {
        try (StoreHome memory = StoreHome.create(scratch.resolve("store"), "a", "1");
                StoreHome disk = StoreHome.create(scratch.resolve("disk"), "a", "1")) {
            EvictableSegments evictable = new EvictableSegments(new MappedSegments());
            Path first = segment(memory, "first");
            Path second = segment(memory, "second");
            List.of(first, second).forEach(evictable::add);
            Path inTheWay = Files.createDirectories(disk.segments("first")
                    .resolve(first.getFileName() + ".part")
                    .resolve("in the way"));
            UnaryOperator<Path> folder =
                    from -> disk.segments(from.getFileName().toString());
            assertTrue(evictable.evict(folder));
            assertTrue(Files.isSymbolicLink(second) && !Files.isSymbolicLink(first));
            assertFalse(evictable.evict(folder), "and nobody tries for ever");
            StoreSweep.removeTree(inTheWay.getParent());
            assertTrue(evictable.evict(folder));
            assertTrue(Files.isSymbolicLink(first));
        }
    }

    @Test
    void mappingsEndWhenForgottenAndUnread() throws Exception {
        try (StoreHome home = StoreHome.create(scratch.resolve("store"), "a", "1")) {
            MappedSegments mapped = new MappedSegments();
            Path file = segment(home, "t");
            List<MappedSegments.Lease> leases = new ArrayList<>(List.of(mapped.open(file), mapped.open(file)));
            assertTrue(leases.get(0).segment() == leases.get(1).segment(), "mapped once");
            assertEquals(Files.size(file), mapped.mappedBytes());
            mapped.forgetBelow(home.path());
            Files.delete(file);
            assertThrows(SparkGapException.class, () -> mapped.open(file));
            leases.get(0).close();
            leases.get(0).close();
            leases.remove(0);
            assertEquals(0, mapped.heldBytes(0), "the second reader has it still");
            leases.get(0).close();
            assertTrue(mapped.unmapForgotten(0) > 0, "its task has ended, but a reference to it is left");
            assertTrue(mapped.heldBytes(0) > 0);
            assertEquals(1000, leases.get(0).segment().totalRows());
            leases.clear();
            for (long end = System.nanoTime() + 20_000_000_000L; mapped.heldBytes(0) > 0 && System.nanoTime() < end; ) {
                System.gc();
                Thread.sleep(10);
            }
            assertEquals(0, mapped.heldBytes(0));
            assertTrue(mapped.unmapForgotten(1_000_000_000L) > 0, "not at once");
            assertEquals(0, mapped.unmapForgotten(0));
        }
    }

    /** A process of its own, because it would end with a signal. */
    @Test
    void aReaderThatOutlivesItsTaskReadsOn() throws Exception {
        try (StoreHome home = StoreHome.create(scratch.resolve("store"), "a", "1")) {
            Path file = segment(home, "t");
            String java =
                    Path.of(System.getProperty("java.home"), "bin", "java").toString();
            Process reader = new ProcessBuilder(
                            java,
                            "-Xmx64m",
                            "-XX:-CreateCoredumpOnCrash",
                            "-XX:ErrorFile=" + scratch.resolve("hs_err.log"),
                            "-cp",
                            System.getProperty("java.class.path"),
                            LateReader.class.getName(),
                            file.toString())
                    .redirectErrorStream(true)
                    .start();
            String said = new String(reader.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertEquals(0, reader.waitFor(), said);
            assertEquals("499500", said.strip());
        }
    }

    private static boolean delete(Path file) {
        try {
            return Files.deleteIfExists(file);
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
