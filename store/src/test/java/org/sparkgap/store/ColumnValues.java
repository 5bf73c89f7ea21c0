// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import java.lang.reflect.Field;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import sun.misc.Unsafe;

/**
 * Values as plain objects, arrays and structs as lists: made, appended one by one or in bulk, and read back from mapped
 * addresses.
 */
final class ColumnValues {
    private static final Unsafe MEMORY = memory();

    private ColumnValues() {}

    static Object random(ColumnType type, Random random) {
        return switch (type.kind()) {
            case BOOLEAN -> random.nextBoolean();
            case TINYINT -> (byte) random.nextInt();
            case SMALLINT -> (short) random.nextInt();
            case INT, DATE -> random.nextInt();
            case BIGINT, TIMESTAMP, TIMESTAMP_NTZ -> random.nextLong();
            case FLOAT -> random.nextFloat();
            case DOUBLE -> random.nextGaussian();
            case DECIMAL -> new BigInteger(type.precision() > 18 ? 120 : 30, random)
                    .multiply(BigInteger.valueOf(random.nextBoolean() ? 1 : -1));
            case STRING, BINARY -> "\u00e4\u20ac".repeat(random.nextInt(4)) + random.nextInt(100);
            case ARRAY -> {
                Column element = type.children().get(0);
                yield Stream.generate(() -> randomOrNull(element, random))
                        .limit(random.nextInt(4))
                        .collect(Collectors.toCollection(ArrayList::new));
            }
            case STRUCT -> type.children().stream()
                    .map(field -> randomOrNull(field, random))
                    .collect(Collectors.toCollection(ArrayList::new));
        };
    }

    /** A random value, or where the column may have nulls sometimes none. */
    static Object randomOrNull(Column column, Random random) {
        return column.nullable() && random.nextInt(7) == 0 ? null : random(column.type(), random);
    }

    static void append(ColumnBuffer column, Object value) {
        if (value == null) {
            column.appendNull();
            return;
        }
        switch (column.type().kind()) {
            case BOOLEAN -> column.appendBoolean((boolean) value);
            case TINYINT -> column.appendByte((byte) value);
            case SMALLINT -> column.appendShort((short) value);
            case INT, DATE -> column.appendInt((int) value);
            case BIGINT, TIMESTAMP, TIMESTAMP_NTZ -> column.appendLong((long) value);
            case FLOAT -> column.appendFloat((float) value);
            case DOUBLE -> column.appendDouble((double) value);
            case DECIMAL -> {
                BigInteger digits = (BigInteger) value;
                if (column.type().precision() <= 18) {
                    column.appendDecimal(digits.longValueExact());
                } else {
                    column.appendDecimal(digits);
                }
            }
            case STRING, BINARY -> {
                byte[] bytes = ("!" + value).getBytes(StandardCharsets.UTF_8);
                column.appendBytes(bytes, 1, bytes.length - 1);
            }
            case ARRAY -> {
                List<?> elements = (List<?>) value;
                column.appendArray(elements.size());
                elements.forEach(element -> append(column.child(0), element));
            }
            case STRUCT -> {
                List<?> fields = (List<?>) value;
                column.appendStructs(1);
                for (int i = 0; i < fields.size(); i++) {
                    append(column.child(i), fields.get(i));
                }
            }
        }
    }

    /**
     * The same random rows, with nulls, in ranges to one writer and one by one to the other: boolean to double in this
     * order.
     */
    static void appendBulk(SegmentWriter bulk, SegmentWriter single, int rows, Random random) {
        boolean[] booleans = new boolean[rows + 5];
        byte[] bytes = new byte[rows + 5];
        short[] shorts = new short[rows + 5];
        int[] ints = new int[rows + 5];
        long[] longs = new long[rows + 5];
        float[] floats = new float[rows + 5];
        double[] doubles = new double[rows + 5];
        int before = bulk.column(0).rows();
        for (int i = 5; i < rows + 5; i++) {
            booleans[i] = random.nextBoolean();
            bytes[i] = (byte) random.nextInt();
            shorts[i] = (short) random.nextInt();
            ints[i] = random.nextInt();
            longs[i] = random.nextLong();
            floats[i] = random.nextFloat();
            doubles[i] = random.nextDouble();
            single.column(0).appendBoolean(booleans[i]);
            single.column(1).appendByte(bytes[i]);
            single.column(2).appendShort(shorts[i]);
            single.column(3).appendInt(ints[i]);
            single.column(4).appendLong(longs[i]);
            single.column(5).appendFloat(floats[i]);
            single.column(6).appendDouble(doubles[i]);
            single.advance(1);
        }
        bulk.column(0).appendBooleans(booleans, 5, rows);
        bulk.column(1).appendTinyints(bytes, 5, rows);
        bulk.column(2).appendShorts(shorts, 5, rows);
        bulk.column(3).appendInts(ints, 5, rows);
        bulk.column(4).appendLongs(longs, 5, rows);
        bulk.column(5).appendFloats(floats, 5, rows);
        bulk.column(6).appendDoubles(doubles, 5, rows);
        for (int i = 0; i < 20; i++) {
            int row = before + random.nextInt(rows);
            bulk.column(i % 7).setNull(row);
            single.column(i % 7).setNull(row);
        }
        bulk.advance(rows);
    }

    static List<List<Object>> readAll(Segment segment) {
        List<List<Object>> rows = new ArrayList<>();
        for (int batch = 0; batch < segment.batches(); batch++) {
            for (int row = 0; row < segment.rows(batch); row++) {
                List<Object> values = new ArrayList<>();
                for (int c = 0; c < segment.columns().size(); c++) {
                    values.add(read(segment.place(batch, c), row));
                }
                rows.add(values);
            }
        }
        return rows;
    }

    private static Object read(ColumnPlace column, int row) {
        if (column.validity() != 0 && !bit(column.validity(), row)) {
            return null;
        }
        long at = column.values();
        int from = column.offsets() == 0 ? 0 : MEMORY.getInt(column.offsets() + 4L * row);
        int to = column.offsets() == 0 ? 0 : MEMORY.getInt(column.offsets() + 4L * row + 4);
        return switch (column.column().type().kind()) {
            case BOOLEAN -> bit(at, row);
            case TINYINT -> MEMORY.getByte(at + row);
            case SMALLINT -> MEMORY.getShort(at + 2L * row);
            case INT, DATE -> MEMORY.getInt(at + 4L * row);
            case BIGINT, TIMESTAMP, TIMESTAMP_NTZ -> MEMORY.getLong(at + 8L * row);
            case FLOAT -> MEMORY.getFloat(at + 4L * row);
            case DOUBLE -> MEMORY.getDouble(at + 8L * row);
            case DECIMAL -> BigInteger.valueOf(MEMORY.getLong(at + 16L * row + 8))
                    .shiftLeft(64)
                    .add(new BigInteger(Long.toUnsignedString(MEMORY.getLong(at + 16L * row))));
            case STRING, BINARY -> {
                byte[] bytes = new byte[to - from];
                for (int i = 0; i < bytes.length; i++) {
                    bytes[i] = MEMORY.getByte(at + from + i);
                }
                yield new String(bytes, StandardCharsets.UTF_8);
            }
            case ARRAY -> IntStream.range(from, to)
                    .mapToObj(element -> read(column.children().get(0), element))
                    .collect(Collectors.toCollection(ArrayList::new));
            case STRUCT -> column.children().stream()
                    .map(field -> read(field, row))
                    .collect(Collectors.toCollection(ArrayList::new));
        };
    }

    private static boolean bit(long address, int row) {
        return (MEMORY.getByte(address + (row >> 3)) >> (row & 7) & 1) != 0;
    }

    private static Unsafe memory() {
        try {
            Field instance = Unsafe.class.getDeclaredField("theUnsafe");
            instance.setAccessible(true);
            return (Unsafe) instance.get(null);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}
