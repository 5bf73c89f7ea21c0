// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PublishedTablesTest {
    private static final List<Column> COLUMNS = List.of(new Column("id", ColumnType.of(ColumnType.Kind.BIGINT), false));

    @TempDir
    Path scratch;

    private StoreHome home;
    private PublishedTables published;

    @BeforeEach
    void open() {
        home = StoreHome.create(scratch.resolve("store"), "app", "driver");
        published = new PublishedTables(home.store(), scratch.resolve("disk"));
    }

    private Manifest table(String name, long value) {
        try (SegmentWriter writer =
                new SegmentWriter(home.segments(name), "part-" + value, "node1", COLUMNS, 1 << 20)) {
            writer.column(0).appendLong(value);
            writer.advance(1);
            return new Manifest(name, COLUMNS, writer.finish(true));
        }
    }

    private Path folder(int edition) {
        return folders().stream()
                .filter(f -> f.getFileName().toString().startsWith(edition + "-"))
                .findFirst()
                .orElse(home.store().resolve("none"));
    }

    private List<Path> folders() {
        try (Stream<Path> all = Files.list(home.store().resolve("published/numbers"))) {
            return all.toList();
        } catch (IOException none) {
            return List.of();
        }
    }

    @Test
    void outlivesItsWriterWithoutACopy() throws Exception {
        Manifest source = table("mine", 7);
        Manifest made = published.publish(source, "numbers", "app-1");
        assertEquals(1, made.published().edition());
        assertEquals("app-1", made.published().application());
        Path file = Path.of(made.segments().get(0).path());
        assertEquals(
                Files.readAttributes(Path.of(source.segments().get(0).path()), "fileKey"),
                Files.readAttributes(file, "fileKey"),
                "the same file");
        home.close();
        assertEquals(made, published.get("numbers"));
        assertEquals(List.of("numbers"), published.list());
        published.get("numbers").verify();
        assertTrue(PublishedTables.isWhole(made));
        Files.delete(file);
        assertFalse(PublishedTables.isWhole(made));
        assertTrue(published.drop("numbers"));
        assertFalse(published.drop("numbers"));
        assertNull(published.get("numbers"));
        assertFalse(Files.exists(file.getParent().getParent()));
        assertEquals(
                "rwx------",
                java.nio.file.attribute.PosixFilePermissions.toString(
                        Files.getPosixFilePermissions(home.store().resolve("published"))));
    }

    @Test
    void supersededEditionsGoAfterAMinute() throws Exception {
        for (int i = 1; i <= 3; i++) {
            assertEquals(
                    i,
                    published
                            .publish(table("t" + i, i), "numbers", "app")
                            .published()
                            .edition());
        }
        assertTrue(Files.exists(folder(1)) && Files.exists(folder(2)));
        Files.setLastModifiedTime(folder(2), FileTime.fromMillis(System.currentTimeMillis() - 61_000));
        Path cutOff = Files.createDirectories(home.store().resolve("published/numbers/3-00000000000000ab"));
        published.sweep();
        assertFalse(Files.exists(folder(1)), "superseded more than a minute ago");
        assertTrue(Files.exists(folder(2)) && Files.exists(folder(3)));
        assertFalse(Files.exists(cutOff), "what a cut off publish has left");
        assertEquals(3, published.get("numbers").published().edition());
    }

    @Test
    void theManifestOnDiskSpeaksWhereMemoryWasLost() throws Exception {
        Manifest older = published.publish(table("older", 6), "numbers", "app");
        Manifest made = published.publish(table("mine", 7), "numbers", "app");
        assertTrue(published.setDurable(made, "file:/safe"));
        assertFalse(published.setDurable(older, "file:/other"));
        StoreSweep.removeTree(home.store().resolve("published"));
        assertEquals(List.of("numbers"), published.list());
        assertEquals("file:/safe", published.get("numbers").published().durable());
        assertFalse(PublishedTables.isWhole(published.get("numbers")));
    }

    @Test
    void aSegmentThatMovedToDiskStaysThere() throws Exception {
        Manifest source = table("mine", 7);
        Path segment = Path.of(source.segments().get(0).path());
        StoreHome onDisk = StoreHome.create(scratch.resolve("disk"), "app", "driver");
        FileTime seal = FileTime.from(1700000000123456789L, TimeUnit.NANOSECONDS);
        Files.setLastModifiedTime(segment, seal);
        Path moved = SegmentMove.to(onDisk.segments("mine"), segment);
        assertEquals(seal, Files.getLastModifiedTime(moved));
        assertTrue(Files.isSymbolicLink(segment));
        source.verify();
        Manifest made = published.publish(source, "numbers", "app");
        assertTrue(
                made.segments()
                        .get(0)
                        .path()
                        .startsWith(scratch.resolve("disk").toRealPath().toString()),
                made.toString());
        onDisk.close();
        home.close();
        assertFalse(Files.exists(moved));
        made.verify();
    }

    @Test
    void aFolderIsNeverUsedAgain() throws Exception {
        Manifest first = published.publish(table("one", 1), "numbers", "app");
        Path file = Path.of(first.segments().get(0).path());
        assertTrue(published.drop("numbers"));
        Manifest second = published.publish(table("two", 2), "numbers", "app");
        assertEquals(1, second.published().edition(), "another table");
        assertFalse(Files.exists(file), "an old reader finds nothing, and not the rows of another table");
        assertFalse(published.setDurable(first, "file:/of-the-dropped"), "a copy that was ready after the drop");
        assertNull(published.get("numbers").published().durable());

        // The memory tier is lost, as after a restart, and what was published then was dropped; the disk tier knows of
        // both no more.
        StoreSweep.removeTree(home.store().resolve("published"));
        StoreSweep.removeTree(scratch.resolve("disk/published"));
        assertNotEquals(
                first.segments().get(0).path(),
                published
                        .publish(table("three", 3), "numbers", "app")
                        .segments()
                        .get(0)
                        .path());
    }

    /** What a table was before its files went, with a durable copy. */
    private Manifest lost() throws Exception {
        Manifest made = published.publish(table("mine", 7), "numbers", "app");
        published.setDurable(made, "file:/safe");
        Manifest lost = published.get("numbers");
        Files.delete(Path.of(lost.segments().get(0).path()));
        return lost;
    }

    @Test
    void whatWasLostIsRecoveredOnce() throws Exception {
        Manifest lost = lost();
        Manifest one = published.recover(lost, table("read", 7), "app-1");
        assertEquals(2, one.published().edition());
        assertEquals("file:/safe", one.published().durable(), "in one step");
        assertEquals(
                one, published.recover(lost, table("read-too", 7), "app-2"), "who was slower gets what the other made");
        assertEquals(one, published.get("numbers"));
        assertTrue(PublishedTables.isWhole(one));
    }

    @Test
    void aRecoveryNeverUndoesADropOrHidesANewerEdition() throws Exception {
        Manifest lost = lost();
        Manifest newer = published.publish(table("newer", 8), "numbers", "app");
        assertEquals(newer, published.recover(lost, table("read", 7), "app"));
        assertEquals(newer, published.get("numbers"));
        published.drop("numbers");
        assertNull(published.recover(lost, table("read-again", 7), "app"));
        assertNull(published.get("numbers"));
        Manifest other = published.publish(table("other", 9), "numbers", "app");
        assertEquals(lost.published().edition(), other.published().edition(), "the same number, another table");
        Files.delete(Path.of(other.segments().get(0).path()));
        assertEquals(other, published.recover(lost, table("read-late", 7), "app"));
        assertEquals(
                List.of(),
                folders().stream()
                        .filter(f -> f.getFileName().toString().startsWith("2-"))
                        .toList());
    }

    @Test
    void filesOfAnotherLengthAreNotWhole() throws Exception {
        Manifest made = published.publish(table("mine", 7), "numbers", "app");
        Path file = Path.of(made.segments().get(0).path());
        byte[] whole = Files.readAllBytes(file);
        Files.write(file, new byte[0]);
        assertFalse(PublishedTables.isWhole(made), "nothing of it was written when the power went");
        Files.write(file, Arrays.copyOf(whole, whole.length - 1));
        assertFalse(PublishedTables.isWhole(made));
        Files.write(file, whole);
        assertTrue(PublishedTables.isWhole(made));
        Manifest source = table("cut", 8);
        Files.write(Path.of(source.segments().get(0).path()), new byte[3]);
        assertEquals(
                SparkGapException.DATA,
                assertThrows(SparkGapException.class, () -> published.publish(source, "numbers", "app"))
                        .code());
        assertEquals(made, published.get("numbers"));
    }

    /**
     * Which publication the manifest on the disk speaks of and which that in memory, where a publish was cut off
     * between them.
     */
    @Test
    void bothEditionsStayWhereAPublishWasCutOffBetweenTheManifests() throws Exception {
        Manifest before = published.publish(table("before", 1), "numbers", "app");
        byte[] inMemory = Files.readAllBytes(home.store().resolve("published/numbers.json"));
        Manifest after = published.publish(table("after", 2), "numbers", "app");
        Files.write(home.store().resolve("published/numbers.json"), inMemory);
        published.sweep();
        assertEquals(before, published.get("numbers"));
        assertTrue(PublishedTables.isWhole(before) && PublishedTables.isWhole(after));
    }

    @Test
    void whatIsNotThereOrHasNoNameIsRefused() {
        Manifest gone =
                new Manifest("x", COLUMNS, List.of(new SegmentInfo("node2", home.path() + "/none.arrow", 1, 1, "0")));
        assertEquals(
                SparkGapException.DATA,
                assertThrows(SparkGapException.class, () -> published.publish(gone, "numbers", "app"))
                        .code());
        assertNull(published.get("numbers"));
        assertEquals(
                SparkGapException.ARGUMENTS,
                assertThrows(SparkGapException.class, () -> published.publish(gone, "../x", "app"))
                        .code());
        assertEquals(
                SparkGapException.ARGUMENTS,
                assertThrows(SparkGapException.class, () -> published.get("a b"))
                        .code());
    }
}
