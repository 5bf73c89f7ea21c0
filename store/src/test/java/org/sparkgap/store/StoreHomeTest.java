// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoreHomeTest {
    @TempDir
    Path scratch;

    @Test
    void closeLeavesNothingButTheStoresLock() throws Exception {
        Path store = scratch.resolve("deep/er/store");
        StoreHome home = StoreHome.create(store, "local-1", "driver");
        assertEquals("local-1.driver", home.path().getFileName().toString());
        assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(store)));
        assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(home.path())));
        assertTrue(home.usableBytes() > 0);
        Files.writeString(home.segments("edges").resolve("a.arrow"), "x");
        home.close();
        home.close();
        assertEquals(List.of(".lock"), names(store));
    }

    @Test
    void sweepTakesAHomeWhoseProcessWasKilledAndNoOther() throws Exception {
        Path store = scratch.resolve("store");
        Process dead = HomeHolder.start(store, "app-dead");
        Process alive = HomeHolder.start(store, "app-alive");
        StoreHome mine = StoreHome.create(store, "app-mine", "driver");
        Files.createDirectories(store.resolve("no-home/segments"));
        Files.writeString(store.resolve("no-home/segments/precious"), "x");
        try {
            assertEquals(0, StoreHome.sweep(store));
            dead.destroyForcibly().waitFor();
            assertEquals(1, StoreHome.sweep(store));
            assertEquals(List.of(".lock", "app-alive.driver", "app-mine.driver", "no-home"), names(store));
            // Our own lock must have outlived our own sweeps: another process must not be able to take our home.
            Process other = HomeHolder.start(store, "app-other");
            other.destroyForcibly().waitFor();
            assertTrue(Files.exists(mine.tables()));
        } finally {
            alive.destroyForcibly().waitFor();
        }
        mine.close();
        StoreHome next = StoreHome.create(store, "app-next", "driver");
        assertEquals(List.of(".lock", "app-next.driver", "no-home"), names(store), "creating a home sweeps too");
        next.close();
        assertEquals("x", Files.readString(store.resolve("no-home/segments/precious")));
    }

    @Test
    void aSweepDoesNotFollowLinks() throws Exception {
        Path store = scratch.resolve("store");
        Path outside = Files.createDirectory(scratch.resolve("outside"));
        Files.writeString(outside.resolve("precious"), "x");
        Process dead = HomeHolder.start(store, "app-dead");
        Files.createSymbolicLink(store.resolve("app-dead.driver/segments/edges/link"), outside);
        Files.createSymbolicLink(store.resolve("app-link.driver"), outside);
        Files.writeString(outside.resolve("lock"), "");
        dead.destroyForcibly().waitFor();
        assertEquals(1, StoreHome.sweep(store));
        assertEquals("x", Files.readString(outside.resolve("precious")));
    }

    @Test
    void manyCreateAtOnce() throws Exception {
        Path store = scratch.resolve("store");
        List<Process> children = new ArrayList<>();
        var pool = Executors.newFixedThreadPool(12);
        try {
            List<Callable<StoreHome>> tasks = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                tasks.add(() -> StoreHome.create(store, "same", "driver"));
            }
            List<Future<Process>> processes = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                processes.add(pool.submit(() -> HomeHolder.start(store, "same")));
            }
            List<StoreHome> homes = new ArrayList<>();
            for (Future<StoreHome> home : pool.invokeAll(tasks, 60, TimeUnit.SECONDS)) {
                homes.add(home.get());
            }
            for (Future<Process> process : processes) {
                children.add(process.get());
            }
            assertEquals(12, names(store).size() - 1, "twelve living namesakes, twelve homes");
            homes.forEach(StoreHome::close);
            assertEquals(2, names(store).size() - 1);
        } finally {
            for (Process child : children) {
                child.destroyForcibly().waitFor();
            }
            pool.shutdownNow();
        }
        assertEquals(2, StoreHome.sweep(store));
    }

    @Test
    void aStoreThatCannotBeUsedIsRefusedInOneLine() throws Exception {
        Path file = Files.writeString(scratch.resolve("file"), "x");
        refused(
                file,
                "expected a folder, found something else. Do choose another folder with spark.sparkgap.store.dir.");
        refused(file.resolve("below"), "expected a folder, found something else");
        Path open = Files.createDirectory(scratch.resolve("open"));
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxr-xr-x"));
        refused(open, "expected mode rwx------, found mode rwxr-xr-x. Do chmod 700 " + open);
        assertEquals(List.of(), names(open));
        refused(Path.of("/proc/sparkgap"), "expected a folder");
    }

    @Test
    void somebodyElsesStoreIsRefused() throws Exception {
        Root.required();
        Path theirs = Files.createDirectory(scratch.resolve("theirs"));
        Files.setPosixFilePermissions(theirs, PosixFilePermissions.fromString("rwx------"));
        Files.setAttribute(theirs, "unix:uid", 12345);
        refused(theirs, "expected a folder of user 0, found one of user 12345");
    }

    @Test
    void aFullDeviceIsRefusedAndNothingIsLeft() throws Exception {
        try (Root.SmallDevice device = new Root.SmallDevice(scratch.resolve("small"), "1m")) {
            Path store = device.path().resolve("store");
            StoreHome home = StoreHome.create(store, "app", "driver");
            Files.write(home.segments("filler").resolve("all"), new byte[900 << 10]);
            List<Column> columns = List.of(new Column("id", ColumnType.of(ColumnType.Kind.BIGINT), false));
            SparkGapException e;
            try (SegmentWriter writer =
                    new SegmentWriter(home.segments("edges"), "part-00000", "here", columns, 1 << 28)) {
                e = assertThrows(SparkGapException.class, () -> {
                    for (int batch = 0; batch < 10; batch++) {
                        writer.column(0).appendLongs(new long[SegmentWriter.BATCH_ROWS], 0, SegmentWriter.BATCH_ROWS);
                        writer.advance(SegmentWriter.BATCH_ROWS);
                    }
                });
            }
            assertEquals(SparkGapException.NO_ROOM, e.code());
            assertTrue(
                    e.getMessage().startsWith("[SPARKGAP {\"code\":4}] spark.sparkgap.store.dir " + store),
                    e.getMessage());
            assertTrue(e.text().contains("expected room for more, found"), e.text());
            assertEquals(List.of(), names(home.segments("edges")), "no partial file");
            Files.delete(home.segments("filler").resolve("all"));
            home.close();
        }
    }

    @Test
    void aHomeThatIsCutOffByAFullDeviceLeavesNothing() throws Exception {
        for (int inodes = 3; inodes <= 7; inodes++) {
            try (Root.SmallDevice device =
                    new Root.SmallDevice(scratch.resolve("inodes-" + inodes), "1m,nr_inodes=" + inodes)) {
                Path store = device.path().resolve("store");
                SparkGapException e =
                        assertThrows(SparkGapException.class, () -> StoreHome.create(store, "app", "driver"));
                assertEquals(SparkGapException.NO_ROOM, e.code());
                assertTrue(e.text().contains("expected room for more"), e.text());
                assertTrue(names(store).stream().noneMatch(name -> name.startsWith("app")), "left: " + names(store));
            }
        }
    }

    private void refused(Path store, String text) {
        SparkGapException e = assertThrows(SparkGapException.class, () -> StoreHome.create(store, "app", "driver"));
        assertEquals(SparkGapException.NO_ROOM, e.code());
        assertTrue(e.getMessage().contains(text), e.getMessage());
        assertFalse(e.getMessage().contains("\n"));
    }

    private static List<String> names(Path directory) throws Exception {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(f -> f.getFileName().toString()).sorted().toList();
        }
    }
}
