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
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TableStoreTest {
  @TempDir Path scratch;
  private StoreHome home;
  private TableStore tables;

  @BeforeEach
  void open() {
    home = StoreHome.create(scratch.resolve("store"), "app", "driver");
    tables = new TableStore(home);
  }

  @AfterEach
  void close() {
    home.close();
  }

  @Test
  void aTableComesAndGoes() throws Exception {
    List<Column> columns = List.of(new Column("id", ColumnType.of(ColumnType.Kind.BIGINT), false), new Column("price", ColumnType.decimal(10, 2), true));
    List<SegmentInfo> segments;
    try (SegmentWriter writer = new SegmentWriter(home.segments("prices"), "part-00000", "node1", columns, 1 << 20)) {
      writer.column(0).appendLong(1);
      writer.column(1).appendDecimal(125);
      writer.advance(1);
      segments = writer.finish(true);
    }
    Manifest table = new Manifest("prices", columns, segments);
    tables.put(table);
    assertEquals(List.of("prices"), tables.list());
    assertEquals(table, tables.get("prices"));
    assertEquals(1, tables.get("prices").rows());
    String json = Files.readString(home.tables().resolve("prices.json"));
    assertTrue(json.contains("\"type\" : \"decimal(10,2)\"") && json.contains("\"crc32c\" : \"" + segments.get(0).crc32c() + "\""), json);
    tables.get("prices").verify();
    assertTrue(tables.drop("prices"));
    assertFalse(tables.drop("prices"));
    assertNull(tables.get("prices"));
    assertFalse(Files.exists(Path.of(segments.get(0).path())));
    assertFalse(Files.exists(home.path().resolve("segments/prices")), "the empty folder goes too");
  }

  @Test
  void aGraphTakesItsArcsAlong() throws Exception {
    Path arcs = Files.writeString(home.segments("roads").resolve("in-00000.arrow"), "x");
    SegmentInfo in = new SegmentInfo("node1", arcs.toString(), 3, 1, "0");
    for (String weight : new String[] {"km", null}) {
      Manifest graph = new Manifest("roads", List.of(), List.of(), new GraphFiles(false, weight, 2, List.of(in), List.of()));
      tables.put(graph);
      assertEquals(graph, tables.get("roads"));
      assertEquals(1, tables.get("roads").graph().bytes());
    }
    assertTrue(tables.drop("roads"));
    assertFalse(Files.exists(arcs));
  }

  @Test
  void dropRemovesNothingOutsideTheStore() throws Exception {
    Path outside = Files.writeString(scratch.resolve("precious.arrow"), "x");
    tables.put(new Manifest("bad", List.of(), List.of(new SegmentInfo("here", outside.toString(), 1, 1, "0"),
        new SegmentInfo("here", home.path() + "/../../precious.arrow", 1, 1, "0"))));
    assertTrue(tables.drop("bad"));
    assertEquals("x", Files.readString(outside));
  }

  @Test
  void namesAndDamageAreRefused() throws Exception {
    assertNull(tables.get("../../etc/passwd"));
    SparkGapException name = assertThrows(SparkGapException.class, () -> tables.put(new Manifest("a/b", List.of(), List.of())));
    assertEquals(SparkGapException.ARGUMENTS, name.code());
    Files.writeString(home.tables().resolve("torn.json"), "{\"version\": 1, \"na");
    assertEquals(SparkGapException.DATA, assertThrows(SparkGapException.class, () -> tables.get("torn")).code());
    Files.writeString(home.tables().resolve("next.json"), "{\"version\": 2}");
    assertTrue(assertThrows(SparkGapException.class, () -> tables.get("next")).text().contains("expected a manifest of version 1, found version 2"));
    Files.writeString(home.tables().resolve("odd.json"), "{\"version\": 1, \"schema\": [{\"name\": \"x\", \"type\": \"map<int,int>\"}]}");
    assertTrue(assertThrows(SparkGapException.class, () -> tables.get("odd")).text().contains("map<int,int>"));
  }
}
