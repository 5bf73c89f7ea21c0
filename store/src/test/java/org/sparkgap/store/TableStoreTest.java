// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

class TableStoreTest {
    @TempDir
    Path scratch;

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

    private void put(Manifest table) {
        try (TableStore.Reservation reserved = tables.reserveToReplace("table", table.name())) {
            reserved.put(table);
        }
    }

    private static void refused(String found, Executable body) {
        SparkGapException e = assertThrows(SparkGapException.class, body);
        assertEquals(SparkGapException.ARGUMENTS, e.code());
        assertTrue(e.text().contains("found " + found), e.text());
    }

    @Test
    void ofTwoWhoWantANameOneGetsIt() {
        TableStore others = new TableStore(home);
        Manifest first = new Manifest("x", List.of(), List.of(new SegmentInfo("here", "/a.arrow", 1, 1, "0")));
        try (TableStore.Reservation one = tables.reserve("result", "x")) {
            refused("'x' being made by another call", () -> others.reserve("result", "x"));
            refused("'x' being made by another call", () -> others.reserveToReplace("table 'x'", "x"));
            assertNull(one.put(first));
            refused("a table 'x'", () -> others.reserve("result", "x"));
        }
        refused("a table 'x'", () -> others.reserve("result", "x"));
        tables.reserve("result", "y").close();
        tables.reserve("result", "y").close();
    }

    @Test
    void aTableIsReplacedByWhoKnowsItAlone() {
        Manifest first = new Manifest("x", List.of(), List.of(new SegmentInfo("here", "/a.arrow", 1, 1, "0")));
        Manifest second = new Manifest("x", List.of(), List.of(new SegmentInfo("here", "/b.arrow", 1, 1, "0")));
        put(first);
        assertFalse(tables.replace(second, first));
        assertTrue(tables.replace(first, second));
        assertEquals(second, tables.get("x"));
        tables.drop("x");
        assertFalse(tables.replace(second, first), "what was dropped does not come back");
        assertNull(tables.get("x"));
    }

    @Test
    void aTableComesAndGoes() throws Exception {
        List<Column> columns = List.of(
                new Column("id", ColumnType.of(ColumnType.Kind.BIGINT), false),
                new Column("price", ColumnType.decimal(10, 2), true));
        List<SegmentInfo> segments;
        try (SegmentWriter writer =
                new SegmentWriter(home.segments("prices"), "part-00000", "node1", columns, 1 << 20)) {
            writer.column(0).appendLong(1);
            writer.column(1).appendDecimal(125);
            writer.advance(1);
            segments = writer.finish(true);
        }
        Manifest table = new Manifest("prices", columns, segments);
        put(table);
        assertEquals(List.of("prices"), tables.list());
        assertEquals(table, tables.get("prices"));
        assertEquals(1, tables.get("prices").rows());
        String json = Files.readString(home.tables().resolve("prices.json"));
        assertTrue(
                json.contains("\"type\" : \"decimal(10,2)\"")
                        && json.contains("\"crc32c\" : \"" + segments.get(0).crc32c() + "\""),
                json);
        tables.get("prices").verify();
        assertEquals(table, tables.drop("prices"));
        assertNull(tables.drop("prices"));
        assertNull(tables.get("prices"));
        assertFalse(Files.exists(Path.of(segments.get(0).path())));
        assertFalse(Files.exists(home.path().resolve("segments/prices")), "the empty folder goes too");
    }

    @Test
    void aGraphTakesItsArcsAlong() throws Exception {
        Path arcs = Files.writeString(home.segments("roads").resolve("in-00000.arrow"), "x");
        SegmentInfo in = new SegmentInfo("node1", arcs.toString(), 3, 1, "0");
        for (String weight : new String[] {"km", null}) {
            Manifest graph = new Manifest(
                    "roads", List.of(), List.of(), new GraphFiles(false, weight, 2, List.of(in), List.of()));
            put(graph);
            assertEquals(graph, tables.get("roads"));
            assertEquals(1, tables.get("roads").graph().bytes());
        }
        assertNotNull(tables.drop("roads"));
        assertFalse(Files.exists(arcs));
    }

    @Test
    void dropRemovesNothingOutsideTheStore() throws Exception {
        Path outside = Files.writeString(scratch.resolve("precious.arrow"), "x");
        put(new Manifest(
                "bad",
                List.of(),
                List.of(
                        new SegmentInfo("here", outside.toString(), 1, 1, "0"),
                        new SegmentInfo("here", home.path() + "/../../precious.arrow", 1, 1, "0"))));
        assertNotNull(tables.drop("bad"));
        assertEquals("x", Files.readString(outside));
    }

    @Test
    void namesAndDamageAreRefused() throws Exception {
        assertNull(tables.get("../../etc/passwd"));
        SparkGapException name = assertThrows(SparkGapException.class, () -> tables.reserve("result", "a/b"));
        assertEquals(SparkGapException.ARGUMENTS, name.code());
        Files.writeString(home.tables().resolve("torn.json"), "{\"version\": 1, \"na");
        assertEquals(
                SparkGapException.DATA,
                assertThrows(SparkGapException.class, () -> tables.get("torn")).code());
        Files.writeString(home.tables().resolve("next.json"), "{\"version\": 2}");
        assertTrue(assertThrows(SparkGapException.class, () -> tables.get("next"))
                .text()
                .contains("expected a manifest of version 1, found version 2"));
        Files.writeString(
                home.tables().resolve("odd.json"),
                "{\"version\": 1, \"schema\": [{\"name\": \"x\", \"type\": \"map<int,int>\"}]}");
        assertTrue(assertThrows(SparkGapException.class, () -> tables.get("odd"))
                .text()
                .contains("map<int,int>"));
    }

    @Test
    void segmentsBehindAFolderThatIsALinkStay() throws Exception {
        Path outside = Files.createDirectory(scratch.resolve("outside"));
        Path precious = Files.writeString(outside.resolve("a.arrow"), "x");
        Path link = Files.createSymbolicLink(home.path().resolve("segments/t"), outside);
        Path own = Files.writeString(home.segments("own").resolve("a.arrow"), "x");
        tables.deleteSegments(List.of(
                new SegmentInfo("here", link.resolve("a.arrow").toString(), 1, 1, "0"),
                new SegmentInfo("here", own.toString(), 1, 1, "0")));
        assertEquals("x", Files.readString(precious));
        assertFalse(Files.exists(own.getParent()));
    }
}
