// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The quota of the memory tier, what is moved out of it, and mappings that end. */
class StoreRoomTest {
  private static final List<Column> COLUMNS = List.of(new Column("id", ColumnType.of(ColumnType.Kind.BIGINT), false));

  @TempDir Path scratch;

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
    try (StoreHome one = StoreHome.create(scratch.resolve("store"), "a", "1"); StoreHome other = StoreHome.create(scratch.resolve("store"), "b", "1")) {
      long[] spare = {1 << 20};
      StoreRoom room = new StoreRoom(one.store(), 10_000, () -> spare[0]);
      assertTrue(room.take(6000, () -> false));
      assertFalse(room.take(10_001, () -> true), "more than there ever is");
      Files.write(other.segments("t").resolve("x.arrow"), new byte[9000]);
      Files.createLink(one.segments("t").resolve("y.arrow"), other.segments("t").resolve("x.arrow"));
      Files.createSymbolicLink(one.segments("t").resolve("z.arrow"), other.segments("t").resolve("x.arrow"));
      assertEquals(9000, StoreRoom.usedBytes(one.store()));
      Thread.sleep(250);
      assertFalse(room.take(5000, () -> false), "another process has written");
      assertTrue(room.take(1000, () -> false));
      int[] evictions = {0};
      assertTrue(room.take(2000, () -> {
        evictions[0]++;
        return delete(other.segments("t").resolve("x.arrow")) && delete(one.segments("t").resolve("y.arrow"));
      }));
      assertEquals(1, evictions[0]);
      spare[0] = 100;
      assertFalse(room.take(200, () -> false), "the host has none to spare");
    }
    assertEquals(0, StoreRoom.usedBytes(scratch.resolve("none")));
  }

  @Test
  void theLongestUnusedMovesAndItsReadersGoOn() throws Exception {
    try (StoreHome memory = StoreHome.create(scratch.resolve("store"), "a", "1"); StoreHome disk = StoreHome.create(scratch.resolve("disk"), "a", "1")) {
      MappedSegments mapped = new MappedSegments();
      EvictableSegments evictable = new EvictableSegments(mapped);
      Path old = segment(memory, "old");
      Path read = segment(memory, "read");
      Path used = segment(memory, "used");
      List.of(read, old, used).forEach(evictable::add);
      MappedSegments.Lease lease = mapped.open(read);
      evictable.use(old);
      evictable.use(used);
      assertTrue(evictable.evict(folder -> disk.segments(folder.getFileName().toString())));
      assertTrue(Files.isSymbolicLink(old) && !Files.isSymbolicLink(read) && !Files.isSymbolicLink(used), "one that is read stays");
      assertEquals(1000, Segment.open(old).totalRows());
      assertTrue(evictable.evict(folder -> disk.segments(folder.getFileName().toString())));
      assertFalse(evictable.evict(folder -> disk.segments(folder.getFileName().toString())), "nothing else that nobody reads");
      assertTrue(Files.isSymbolicLink(used));
      assertEquals(1000, lease.segment().totalRows());
      lease.close();
      evictable.add(read);
      Path full = Files.writeString(scratch.resolve("full"), "a file, no folder");
      assertFalse(evictable.evict(folder -> full), "no room on disk");
      assertTrue(Files.isRegularFile(read) && !Files.isSymbolicLink(read));
    }
  }

  @Test
  void mappingsEndWhenForgottenAndUnread() throws Exception {
    try (StoreHome home = StoreHome.create(scratch.resolve("store"), "a", "1")) {
      MappedSegments mapped = new MappedSegments();
      Path file = segment(home, "t");
      MappedSegments.Lease one = mapped.open(file);
      MappedSegments.Lease two = mapped.open(file);
      assertTrue(one.segment() == two.segment(), "mapped once");
      assertEquals(Files.size(file), mapped.mappedBytes());
      mapped.forgetBelow(home.path());
      Files.delete(file);
      assertThrows(SparkGapException.class, () -> mapped.open(file));
      one.close();
      one.close();
      assertTrue(mapped.unmapForgotten(0) > 0, "the second reader has it still");
      assertEquals(1000, two.segment().totalRows());
      two.close();
      assertTrue(mapped.unmapForgotten(1_000_000_000L) > 0, "not at once");
      assertEquals(0, mapped.unmapForgotten(0));
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
