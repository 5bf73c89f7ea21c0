// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PublishedTablesTest {
  private static final List<Column> COLUMNS = List.of(new Column("id", ColumnType.of(ColumnType.Kind.BIGINT), false));

  @TempDir Path scratch;
  private StoreHome home;
  private PublishedTables published;

  @BeforeEach
  void open() {
    home = StoreHome.create(scratch.resolve("store"), "app", "driver");
    published = new PublishedTables(home.store(), scratch.resolve("disk"));
  }

  private Manifest table(String name, long value) {
    try (SegmentWriter writer = new SegmentWriter(home.segments(name), "part-" + value, "node1", COLUMNS, 1 << 20)) {
      writer.column(0).appendLong(value);
      writer.advance(1);
      return new Manifest(name, COLUMNS, writer.finish(true));
    }
  }

  private Path folder(int edition) {
    return home.store().resolve("published/numbers/" + edition);
  }

  @Test
  void outlivesItsWriterWithoutACopy() throws Exception {
    Manifest source = table("mine", 7);
    Manifest made = published.publish(source, "numbers", "app-1");
    assertEquals(1, made.published().edition());
    assertEquals("app-1", made.published().application());
    Path file = Path.of(made.segments().get(0).path());
    assertEquals(Files.readAttributes(Path.of(source.segments().get(0).path()), "fileKey"), Files.readAttributes(file, "fileKey"), "the same file");
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
    assertEquals("rwx------", java.nio.file.attribute.PosixFilePermissions.toString(Files.getPosixFilePermissions(home.store().resolve("published"))));
  }

  @Test
  void supersededEditionsGoAfterAMinute() throws Exception {
    for (int i = 1; i <= 3; i++) {
      assertEquals(i, published.publish(table("t" + i, i), "numbers", "app").published().edition());
    }
    assertTrue(Files.exists(folder(1)) && Files.exists(folder(2)));
    Files.setLastModifiedTime(folder(2), FileTime.fromMillis(System.currentTimeMillis() - 61_000));
    Files.createDirectories(folder(9));
    published.sweep();
    assertFalse(Files.exists(folder(1)), "superseded more than a minute ago");
    assertTrue(Files.exists(folder(2)) && Files.exists(folder(3)));
    assertFalse(Files.exists(folder(9)), "what a cut off publish has left");
    assertEquals(3, published.get("numbers").published().edition());
  }

  @Test
  void theManifestOnDiskSpeaksWhereMemoryWasLost() throws Exception {
    published.publish(table("mine", 7), "numbers", "app");
    assertTrue(published.setDurable("numbers", 1, "file:/safe"));
    assertFalse(published.setDurable("numbers", 2, "file:/other"));
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
    Path moved = SegmentMove.to(onDisk.segments("mine"), segment);
    assertTrue(Files.isSymbolicLink(segment));
    source.verify();
    Manifest made = published.publish(source, "numbers", "app");
    assertTrue(made.segments().get(0).path().startsWith(scratch.resolve("disk").toRealPath().toString()), made.toString());
    onDisk.close();
    home.close();
    assertFalse(Files.exists(moved));
    made.verify();
  }

  @Test
  void whatIsNotThereOrHasNoNameIsRefused() {
    Manifest gone = new Manifest("x", COLUMNS, List.of(new SegmentInfo("node2", home.path() + "/none.arrow", 1, 1, "0")));
    assertEquals(SparkGapException.DATA, assertThrows(SparkGapException.class, () -> published.publish(gone, "numbers", "app")).code());
    assertNull(published.get("numbers"));
    assertEquals(SparkGapException.ARGUMENTS, assertThrows(SparkGapException.class, () -> published.publish(gone, "../x", "app")).code());
    assertEquals(SparkGapException.ARGUMENTS, assertThrows(SparkGapException.class, () -> published.get("a b")).code());
  }
}
