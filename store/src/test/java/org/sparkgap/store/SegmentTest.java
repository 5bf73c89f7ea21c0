// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.RandomAccessFile;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sparkgap.store.ColumnType.Kind;

class SegmentTest {
    @TempDir
    Path scratch;

    private static final List<Column> ALL = List.of(
            column("bool", ColumnType.of(Kind.BOOLEAN)),
            column("i8", ColumnType.of(Kind.TINYINT)),
            column("i16", ColumnType.of(Kind.SMALLINT)),
            column("i32", ColumnType.of(Kind.INT)),
            column("i64", ColumnType.of(Kind.BIGINT)),
            column("f32", ColumnType.of(Kind.FLOAT)),
            column("f64", ColumnType.of(Kind.DOUBLE)),
            column("dec", ColumnType.decimal(10, 2)),
            column("big", ColumnType.decimal(38, 9)),
            column("day", ColumnType.of(Kind.DATE)),
            column("ts", ColumnType.of(Kind.TIMESTAMP)),
            column("ntz", ColumnType.of(Kind.TIMESTAMP_NTZ)),
            column("text", ColumnType.of(Kind.STRING)),
            column("raw", ColumnType.of(Kind.BINARY)));

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 63, 64, 65_535, 65_536, 65_537})
    void everyTypeWithNullsComesBack(int rows) throws Exception {
        List<List<Object>> expected = new ArrayList<>();
        List<SegmentInfo> segments;
        try (SegmentWriter writer = new SegmentWriter(scratch, "part-00000", "here", ALL, 1 << 28)) {
            Random random = new Random(rows);
            for (int row = 0; row < rows; row++) {
                List<Object> values = new ArrayList<>();
                for (int c = 0; c < ALL.size(); c++) {
                    values.add(
                            random.nextInt(7) == 0
                                    ? null
                                    : ColumnValues.random(ALL.get(c).type(), random));
                    ColumnValues.append(writer.column(c), values.get(c));
                }
                expected.add(values);
                writer.advance(1);
            }
            segments = writer.finish(true);
        }
        assertEquals(rows, segments.stream().mapToLong(SegmentInfo::rows).sum());
        List<List<Object>> found = new ArrayList<>();
        for (SegmentInfo info : segments) {
            Segment segment = Segment.open(Path.of(info.path()));
            assertEquals(ALL, segment.columns());
            assertTrue(segment.batches() >= 1);
            assertEquals(info.rows(), segment.totalRows());
            assertEquals(info.bytes(), Files.size(Path.of(info.path())));
            assertEquals(info.crc32c(), segment.checksum());
            found.addAll(ColumnValues.readAll(segment));
            for (int b = 0; b < segment.batches(); b++) {
                for (int c = 0; c < ALL.size(); c++) {
                    assertEquals(0, segment.values(b, c) % 64, "values of batch " + b + ", column " + c);
                    assertEquals(0, segment.validity(b, c) % 64);
                    assertEquals(0, segment.offsets(b, c) % 64);
                }
            }
        }
        assertEquals(expected, found);
        new Manifest("all", ALL, segments).verify();
    }

    @Test
    void narrowedBigintsAreIntsUntilOneDoesNotFit() throws Exception {
        List<Column> columns = List.of(
                column("src", ColumnType.of(Kind.BIGINT)),
                column("dst", ColumnType.of(Kind.BIGINT)),
                column("weight", ColumnType.of(Kind.BIGINT)));
        long[] edges = {Integer.MIN_VALUE, Integer.MAX_VALUE, 0, -1};
        for (long beyond :
                new long[] {Integer.MAX_VALUE + 1L, Integer.MIN_VALUE - 1L, Long.MAX_VALUE, Long.MIN_VALUE}) {
            Path folder = Files.createDirectory(scratch.resolve("beyond" + beyond));
            int rows = 3 * SegmentWriter.BATCH_ROWS + 5;
            int at = SegmentWriter.BATCH_ROWS + 7; // in the second batch
            List<List<Object>> expected = new ArrayList<>();
            List<SegmentInfo> segments;
            try (SegmentWriter writer = new SegmentWriter(folder, "part", "here", columns, 1 << 28)) {
                writer.narrow(0);
                writer.narrow(1);
                for (int row = 0; row < rows; row++) {
                    Long src = row % 11 == 0 ? null : (Long) edges[row % 4];
                    List<Object> values = Arrays.asList(src, row == at ? beyond : row, (long) row);
                    for (int c = 0; c < 3; c++) {
                        ColumnValues.append(
                                writer.column(c),
                                values.get(c) instanceof Integer i ? (Object) (long) i : values.get(c));
                    }
                    expected.add(Arrays.asList(
                            src == null ? null : (Object) src.intValue(),
                            row < SegmentWriter.BATCH_ROWS ? (Object) row : (Object) (row == at ? beyond : (long) row),
                            (long) row));
                    writer.advance(1);
                }
                segments = writer.finish(false);
            }
            List<List<String>> types = new ArrayList<>();
            List<List<Object>> found = new ArrayList<>();
            for (SegmentInfo info : segments) {
                Segment segment = Segment.open(Path.of(info.path()));
                types.add(segment.columns().stream().map(c -> c.type().ddl()).toList());
                found.addAll(ColumnValues.readAll(segment));
            }
            assertEquals(List.of(List.of("int", "int", "bigint"), List.of("int", "bigint", "bigint")), types);
            assertEquals(expected, found);
        }
    }

    @Test
    void bulkAppendsAreTheSameAsSingleOnes() {
        List<Column> columns = ALL.subList(0, 7);
        Random random = new Random(3);
        int rows = 1000;
        try (SegmentWriter bulk = new SegmentWriter(scratch, "bulk", "here", columns, 1 << 28);
                SegmentWriter single = new SegmentWriter(scratch, "single", "here", columns, 1 << 28)) {
            for (int part = 0; part < 3; part++) {
                ColumnValues.appendBulk(bulk, single, rows, random);
            }
            List<SegmentInfo> a = bulk.finish(false);
            List<SegmentInfo> b = single.finish(false);
            assertEquals(b.get(0).crc32c(), a.get(0).crc32c());
            assertEquals(3L * rows, a.get(0).rows());
        }
    }

    @Test
    void nativeValuesAreCopiedAndNullsEndWithTheirBatch() {
        List<Column> columns = List.of(column("id", ColumnType.of(Kind.BIGINT)));
        ByteBuffer values = NativeMemory.allocate(SegmentWriter.BATCH_ROWS * 8L);
        for (int row = 0; row < SegmentWriter.BATCH_ROWS; row++) {
            values.putLong(row * 8, row);
        }
        try (SegmentWriter writer = new SegmentWriter(scratch, "part", "here", columns, 1 << 28)) {
            writer.column(0).appendNative(NativeMemory.address(values), SegmentWriter.BATCH_ROWS);
            writer.column(0).setNull(5);
            writer.advance(SegmentWriter.BATCH_ROWS);
            writer.column(0).appendLong(-1);
            writer.column(0).appendNative(NativeMemory.address(values) + 80, 2);
            assertThrows(IndexOutOfBoundsException.class, () -> writer.column(0)
                    .appendNative(NativeMemory.address(values), SegmentWriter.BATCH_ROWS));
            writer.advance(3);
            List<List<Object>> rows = ColumnValues.readAll(
                    Segment.open(Path.of(writer.finish(false).get(0).path())));
            assertNull(rows.get(5).get(0));
            assertEquals(
                    (long) SegmentWriter.BATCH_ROWS - 1,
                    rows.get(SegmentWriter.BATCH_ROWS - 1).get(0));
            assertEquals(
                    List.of(-1L, 10L, 11L),
                    rows.subList(SegmentWriter.BATCH_ROWS, rows.size()).stream()
                            .map(row -> row.get(0))
                            .toList());
        } finally {
            NativeMemory.release(values);
        }
    }

    @Test
    void aSegmentEndsBeforeItsLimit() throws Exception {
        List<Column> columns =
                List.of(column("id", ColumnType.of(Kind.BIGINT)), column("text", ColumnType.of(Kind.STRING)));
        long limit = 4 << 20;
        long total = 600_000;
        List<SegmentInfo> segments;
        try (SegmentWriter writer = new SegmentWriter(scratch, "part", "here", columns, limit)) {
            byte[] text = "twenty bytes of text".getBytes(StandardCharsets.UTF_8);
            for (long row = 0; row < total; row++) {
                writer.column(0).appendLong(row);
                writer.column(1).appendBytes(text, 0, text.length);
                writer.advance(1);
            }
            segments = writer.finish(false);
        }
        assertTrue(segments.size() > 3, "segments: " + segments.size());
        long next = 0;
        for (SegmentInfo info : segments) {
            assertTrue(info.bytes() <= limit, info.toString());
            for (List<Object> row : ColumnValues.readAll(Segment.open(Path.of(info.path())))) {
                assertEquals(next++, row.get(0));
            }
        }
        assertEquals(total, next);
    }

    @Test
    void closeWithoutFinishLeavesNoFile() throws Exception {
        List<Column> columns = List.of(column("id", ColumnType.of(Kind.BIGINT)));
        try (SegmentWriter writer = new SegmentWriter(scratch, "part", "here", columns, 1 << 20)) {
            for (int i = 0; i < 20; i++) {
                writer.column(0).appendLongs(new long[SegmentWriter.BATCH_ROWS], 0, SegmentWriter.BATCH_ROWS);
                writer.advance(SegmentWriter.BATCH_ROWS);
            }
        }
        try (Stream<Path> files = Files.list(scratch)) {
            assertEquals(0, files.count());
        }
    }

    @Test
    void damagedFilesAreRefusedAndNeverCrash() throws Exception {
        Path good;
        try (SegmentWriter writer = new SegmentWriter(scratch, "part", "here", ALL, 1 << 20)) {
            Random random = new Random(1);
            for (int row = 0; row < 100; row++) {
                for (int c = 0; c < ALL.size(); c++) {
                    ColumnValues.append(
                            writer.column(c), ColumnValues.random(ALL.get(c).type(), random));
                }
                writer.advance(1);
            }
            good = Path.of(writer.finish(false).get(0).path());
        }
        byte[] bytes = Files.readAllBytes(good);
        Path bad = scratch.resolve("bad.arrow");
        refused(scratch.resolve("none.arrow"), "no such file");
        Files.write(bad, new byte[0]);
        refused(bad, "expected an Arrow file");
        Files.writeString(bad, "src,dst\n1,2\n3,4\n5,6\n7,8\n9,10\n");
        refused(bad, "expected an Arrow file");
        Files.write(bad, Arrays.copyOf(bytes, bytes.length / 2));
        refused(bad, "expected an Arrow file");
        Random random = new Random(2);
        for (int trial = 0; trial < 3000; trial++) {
            byte[] damaged = bytes.clone();
            for (int i = 0; i < 1 + trial % 4; i++) {
                // The footer and the message of the batch are where a reader could be led astray.
                int at = random.nextBoolean()
                        ? bytes.length - 1 - random.nextInt(Math.min(bytes.length, 2500))
                        : random.nextInt(Math.min(bytes.length, 4000));
                damaged[at] = (byte) random.nextInt(256);
            }
            Files.write(bad, damaged);
            try {
                Segment.open(bad);
            } catch (SparkGapException e) {
                assertEquals(SparkGapException.DATA, e.code());
            }
        }
        Segment truncated = Segment.open(good);
        assertEquals(100, truncated.totalRows());
        try (RandomAccessFile file = new RandomAccessFile(good.toFile(), "rw")) {
            file.seek(200);
            file.write(77);
        }
        SparkGapException changed = assertThrows(SparkGapException.class, () -> new Manifest(
                        "t", ALL, List.of(new SegmentInfo("here", good.toString(), 100, bytes.length, "00000000")))
                .verify());
        assertTrue(changed.text().contains("expected 100 rows with crc32c 00000000"), changed.text());
    }

    @Test
    void decimalsKeepTheirSign() {
        for (String digits : new String[] {
            "0",
            "-1",
            "99999999999999999999999999999999999999",
            "-99999999999999999999999999999999999999",
            "9223372036854775808"
        }) {
            List<Column> columns = List.of(column("d", ColumnType.decimal(38, 0)));
            try (SegmentWriter writer =
                    new SegmentWriter(scratch, "d" + digits.length() + digits.charAt(0), "here", columns, 1 << 20)) {
                writer.column(0).appendDecimal(new BigInteger(digits));
                writer.advance(1);
                assertEquals(
                        new BigInteger(digits),
                        ColumnValues.readAll(Segment.open(
                                        Path.of(writer.finish(false).get(0).path())))
                                .get(0)
                                .get(0));
            }
        }
    }

    private void refused(Path file, String text) {
        SparkGapException e = assertThrows(SparkGapException.class, () -> Segment.open(file));
        assertEquals(SparkGapException.DATA, e.code());
        assertTrue(e.getMessage().contains(text) && e.getMessage().contains(file.toString()), e.getMessage());
    }

    private static Column column(String name, ColumnType type) {
        return new Column(name, type, true);
    }
}
