// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sparkgap.store.ColumnType.Kind;

/** Arrays and structs in segments. */
class NestedColumnsTest {
    @TempDir
    Path scratch;

    private static final List<Column> COLUMNS = List.of(
            column("id", "bigint"),
            column("ints", "array<int>"),
            column("flags", "array<boolean>"),
            column("texts", "array<string not null>"),
            column("pair", "struct<a:bigint,`b c`:string not null>"),
            column("points", "array<struct<x:double not null,y:decimal(38,2),tag:binary>>"),
            column("sums", "struct<x:array<decimal(10,2)>,deep:struct<flag:boolean not null,day:date>>"),
            column("grid", "array<array<smallint> not null>"),
            new Column(
                    "always", ColumnType.find("struct<list:array<tinyint not null> not null,f:float not null>"), false),
            column("text", "string"));

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 64, 1_000, 70_000})
    void arraysAndStructsWithNullsComeBack(int rows) throws Exception {
        List<List<Object>> expected = new ArrayList<>();
        List<SegmentInfo> segments = write(COLUMNS, rows, 1 << 28, expected);
        assertEquals(expected, read(segments));
        for (SegmentInfo info : segments) {
            Segment segment = Segment.open(Path.of(info.path()));
            assertEquals(COLUMNS, segment.columns());
            for (int b = 0; b < segment.batches(); b++) {
                for (int c = 0; c < COLUMNS.size(); c++) {
                    checkPlace(segment.place(b, c));
                }
            }
        }
        new Manifest("nested", COLUMNS, segments).verify();
    }

    /**
     * Every buffer at a multiple of 64; no validity where nothing is null; fields that are never null have none even
     * below nulls.
     */
    private static void checkPlace(ColumnPlace place) {
        assertEquals(
                0,
                (place.validity() | place.offsets() | place.values()) % 64,
                place.column().name());
        assertEquals(place.nulls() == 0, place.validity() == 0);
        assertTrue(
                place.column().nullable() || place.nulls() == 0, place.column().name());
        place.children().forEach(NestedColumnsTest::checkPlace);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void randomTypesComeBack(int seed) throws Exception {
        Random random = new Random(seed);
        List<Column> columns = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            columns.add(new Column("c" + i, randomType(random, 5), random.nextBoolean()));
        }
        List<List<Object>> expected = new ArrayList<>();
        List<SegmentInfo> segments = write(columns, 500, 1 << 20, expected);
        assertEquals(expected, read(segments));
        assertEquals(columns, Segment.open(Path.of(segments.get(0).path())).columns());
        new Manifest("random", columns, segments).write(scratch.resolve("random.json"));
        assertEquals(columns, Manifest.read(scratch.resolve("random.json")).columns());
    }

    @Test
    void theDeepestTypeComesBack() throws Exception {
        ColumnType type = ColumnType.of(Kind.STRING);
        for (int i = 1; i < ColumnType.MAX_DEPTH; i++) {
            type = i % 2 == 0 ? ColumnType.array(type, true) : ColumnType.struct(List.of(new Column("f", type, true)));
        }
        List<List<Object>> expected = new ArrayList<>();
        List<List<Object>> found = read(write(List.of(new Column("deep", type, true)), 300, 1 << 20, expected));
        assertEquals(expected, found);
    }

    @Test
    void elementsCountForTheSizeOfABatch() throws Exception {
        List<Column> columns = List.of(column("longs", "array<struct<l:bigint not null,t:string>>"));
        int elements = 1_000;
        int rows = 20_000;
        byte[] text = "text".getBytes(StandardCharsets.UTF_8);
        List<SegmentInfo> segments;
        try (SegmentWriter writer = new SegmentWriter(scratch, "part", "here", columns, 1 << 30)) {
            ColumnBuffer structs = writer.column(0).child(0);
            for (int row = 0; row < rows; row++) {
                writer.column(0).appendArray(elements);
                structs.appendStructs(elements);
                for (int i = 0; i < elements; i++) {
                    structs.child(0).appendLong((long) row * elements + i);
                    structs.child(1).appendBytes(text, 0, 4);
                }
                writer.advance(1);
            }
            segments = writer.finish(false);
        }
        Segment segment = Segment.open(Path.of(segments.get(0).path()));
        assertTrue(segment.batches() > 15, segment.batches() + " batches");
        long next = 0;
        for (int b = 0; b < segment.batches(); b++) {
            ColumnPlace found = segment.place(b, 0).children().get(0);
            assertEquals((long) segment.rows(b) * elements, found.rows());
            assertTrue(found.children().get(0).dataBytes() <= 17 << 20);
            next += found.rows();
        }
        assertEquals((long) rows * elements, next);
    }

    @Test
    void elementsThatWereAnnouncedMustCome() {
        try (SegmentWriter writer =
                new SegmentWriter(scratch, "part", "here", List.of(column("ints", "array<int>")), 1 << 20)) {
            writer.column(0).appendArray(2);
            writer.column(0).child(0).appendInt(1);
            writer.advance(1);
            assertEquals(
                    "array<int>: expected 2 rows below, found 1",
                    assertThrows(IllegalStateException.class, () -> writer.finish(false))
                            .getMessage());
        }
    }

    @Test
    void damagedFilesAreRefusedAndNeverCrash() throws Exception {
        Path good =
                Path.of(write(COLUMNS, 100, 1 << 20, new ArrayList<>()).get(0).path());
        byte[] bytes = Files.readAllBytes(good);
        Path bad = scratch.resolve("bad.arrow");
        Random random = new Random(2);
        int refused = 0;
        for (int trial = 0; trial < 2000; trial++) {
            byte[] damaged = Arrays.copyOf(bytes, bytes.length);
            for (int i = 0; i < 1 + trial % 4; i++) {
                int at = random.nextBoolean()
                        ? bytes.length - 1 - random.nextInt(Math.min(bytes.length, 4500))
                        : random.nextInt(Math.min(bytes.length, 7000));
                damaged[at] = (byte) random.nextInt(256);
            }
            Files.write(bad, damaged);
            try {
                Segment.open(bad)
                        .columns()
                        .forEach(column -> ColumnType.find(column.type().ddl()));
            } catch (SparkGapException e) {
                assertEquals(SparkGapException.DATA, e.code());
                refused++;
            }
        }
        assertTrue(refused > 300, refused + " refused");
    }

    private List<SegmentInfo> write(List<Column> columns, int rows, long segmentBytes, List<List<Object>> into) {
        Random random = new Random(rows);
        try (SegmentWriter writer = new SegmentWriter(scratch, "part", "here", columns, segmentBytes)) {
            for (int row = 0; row < rows; row++) {
                List<Object> values = new ArrayList<>();
                for (int c = 0; c < columns.size(); c++) {
                    values.add(ColumnValues.randomOrNull(columns.get(c), random));
                    ColumnValues.append(writer.column(c), values.get(c));
                }
                into.add(values);
                writer.advance(1);
            }
            return writer.finish(true);
        }
    }

    private static List<List<Object>> read(List<SegmentInfo> segments) {
        List<List<Object>> rows = new ArrayList<>();
        segments.forEach(info -> rows.addAll(ColumnValues.readAll(Segment.open(Path.of(info.path())))));
        return rows;
    }

    private static ColumnType randomType(Random random, int depth) {
        Kind kind = Kind.values()[random.nextInt(Kind.values().length)];
        if (depth > 1 && random.nextInt(3) > 0) {
            kind = random.nextBoolean() ? Kind.ARRAY : Kind.STRUCT;
        }
        return switch (kind) {
            case DECIMAL -> random.nextBoolean() ? ColumnType.decimal(12, 2) : ColumnType.decimal(38, 9);
            case ARRAY -> depth == 1
                    ? ColumnType.of(Kind.INT)
                    : ColumnType.array(randomType(random, depth - 1), random.nextBoolean());
            case STRUCT -> {
                if (depth == 1) {
                    yield ColumnType.of(Kind.STRING);
                }
                List<Column> fields = new ArrayList<>();
                for (int i = random.nextInt(3); i >= 0; i--) {
                    fields.add(new Column("f ` " + i, randomType(random, depth - 1), random.nextBoolean()));
                }
                yield ColumnType.struct(fields);
            }
            default -> ColumnType.of(kind);
        };
    }

    private static Column column(String name, String type) {
        return new Column(name, ColumnType.find(type), true);
    }
}
