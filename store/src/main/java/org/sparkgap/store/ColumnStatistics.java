// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntBinaryOperator;

/**
 * The bounds of a batch's values of one column, which let a reader skip the batch.
 *
 * @param lower the least value that is not null, in the order of Spark SQL: Boolean, Byte, Short, Integer, Long, Float,
 *     Double, the unscaled BigInteger of a decimal, or the UTF-8 of a string as byte[]; null if there is none or the
 *     type has no order here (binary)
 * @param upper the greatest; a NaN is greater than all numbers
 * @param nulls how many are null
 * @param bytes of the column's buffers
 */
public record ColumnStatistics(Object lower, Object upper, int nulls, long bytes) {
    /** Cost: one pass over the gathered rows, which are in the processor's cache. */
    static ColumnStatistics of(ColumnBuffer column) {
        long bytes = ColumnBuffer.depthFirst(List.of(column)).stream()
                .mapToLong(node -> Arrays.stream(node.lengths()).sum())
                .sum();
        int rows = column.rows();
        if (rows == column.nulls()) {
            return new ColumnStatistics(null, null, column.nulls(), bytes);
        }
        Object[] bounds =
                switch (column.type().kind()) {
                    case BOOLEAN -> booleans(column, rows);
                    case TINYINT, SMALLINT, INT, DATE, BIGINT, TIMESTAMP, TIMESTAMP_NTZ -> integers(column, rows);
                    case FLOAT, DOUBLE -> floats(column, rows);
                    case DECIMAL -> decimals(column, rows);
                    case STRING -> strings(column, rows);
                    default -> new Object[2];
                };
        return new ColumnStatistics(bounds[0], bounds[1], column.nulls(), bytes);
    }

    private static Object[] booleans(ColumnBuffer column, int rows) {
        ByteBuffer values = column.values();
        boolean any = false;
        boolean all = true;
        for (int i = 0; i < rows; i++) {
            if (!column.isNull(i)) {
                boolean value = (values.get(i >> 3) >> (i & 7) & 1) != 0;
                any |= value;
                all &= value;
            }
        }
        return new Object[] {all, any};
    }

    private static Object[] integers(ColumnBuffer column, int rows) {
        ByteBuffer values = column.values();
        int width = column.type().width();
        boolean nulls = column.nulls() > 0;
        long lower = Long.MAX_VALUE;
        long upper = Long.MIN_VALUE;
        // One short loop per width.
        switch (width) {
            case Byte.BYTES -> {
                for (int i = 0; i < rows; i++) {
                    if (!nulls || !column.isNull(i)) {
                        lower = Math.min(lower, values.get(i));
                        upper = Math.max(upper, values.get(i));
                    }
                }
                return new Object[] {(byte) lower, (byte) upper};
            }
            case Short.BYTES -> {
                for (int i = 0; i < rows; i++) {
                    if (!nulls || !column.isNull(i)) {
                        lower = Math.min(lower, values.getShort(2 * i));
                        upper = Math.max(upper, values.getShort(2 * i));
                    }
                }
                return new Object[] {(short) lower, (short) upper};
            }
            case Integer.BYTES -> {
                for (int i = 0; i < rows; i++) {
                    if (!nulls || !column.isNull(i)) {
                        lower = Math.min(lower, values.getInt(4 * i));
                        upper = Math.max(upper, values.getInt(4 * i));
                    }
                }
                return new Object[] {(int) lower, (int) upper};
            }
            default -> {
                for (int i = 0; i < rows; i++) {
                    if (!nulls || !column.isNull(i)) {
                        lower = Math.min(lower, values.getLong(8 * i));
                        upper = Math.max(upper, values.getLong(8 * i));
                    }
                }
                return new Object[] {lower, upper};
            }
        }
    }

    /**
     * Math.max returns NaN if there is one, as it should. Math.min would too, so NaNs are left out there, unless all
     * values are NaN.
     */
    private static Object[] floats(ColumnBuffer column, int rows) {
        ByteBuffer values = column.values();
        boolean wide = column.type().width() == Double.BYTES;
        boolean nulls = column.nulls() > 0;
        double lower = Double.POSITIVE_INFINITY;
        double upper = Double.NEGATIVE_INFINITY;
        boolean numbers = false;
        for (int i = 0; i < rows; i++) {
            if (!nulls || !column.isNull(i)) {
                double value = wide ? values.getDouble(8 * i) : values.getFloat(4 * i);
                numbers |= !Double.isNaN(value);
                lower = value < lower ? value : lower;
                upper = Math.max(upper, value);
            }
        }
        lower = numbers ? lower : Double.NaN;
        return wide ? new Object[] {lower, upper} : new Object[] {(float) lower, (float) upper};
    }

    private static Object[] decimals(ColumnBuffer column, int rows) {
        ByteBuffer values = column.values();
        int[] found = extremes(column, rows, (a, b) -> compareDecimals(values, a, b));
        return new Object[] {decimal(values, found[0]), decimal(values, found[1])};
    }

    private static Object[] strings(ColumnBuffer column, int rows) {
        int[] found = extremes(column, rows, (a, b) -> compareStrings(column, a, b));
        return new Object[] {string(column, found[0]), string(column, found[1])};
    }

    /** The rows of the least and the greatest value. */
    private static int[] extremes(ColumnBuffer column, int rows, IntBinaryOperator compare) {
        int lower = -1;
        int upper = -1;
        for (int i = 0; i < rows; i++) {
            if (!column.isNull(i)) {
                lower = lower < 0 || compare.applyAsInt(i, lower) < 0 ? i : lower;
                upper = upper < 0 || compare.applyAsInt(i, upper) > 0 ? i : upper;
            }
        }
        return new int[] {lower, upper};
    }

    private static int compareDecimals(ByteBuffer values, int a, int b) {
        int high = Long.compare(values.getLong(16 * a + 8), values.getLong(16 * b + 8));
        return high != 0 ? high : Long.compareUnsigned(values.getLong(16 * a), values.getLong(16 * b));
    }

    private static BigInteger decimal(ByteBuffer values, int row) {
        BigInteger low = new BigInteger(Long.toUnsignedString(values.getLong(16 * row)));
        return BigInteger.valueOf(values.getLong(16 * row + 8)).shiftLeft(64).add(low);
    }

    /** By unsigned bytes, the order of Spark's strings. */
    private static int compareStrings(ColumnBuffer column, int a, int b) {
        ByteBuffer values = column.values();
        int fromA = column.offset(a);
        int fromB = column.offset(b);
        int sizeA = column.offset(a + 1) - fromA;
        int sizeB = column.offset(b + 1) - fromB;
        int shared = Math.min(sizeA, sizeB);
        for (int i = 0; i < shared; i++) {
            int difference = (values.get(fromA + i) & 0xFF) - (values.get(fromB + i) & 0xFF);
            if (difference != 0) {
                return difference;
            }
        }
        return sizeA - sizeB;
    }

    private static byte[] string(ColumnBuffer column, int row) {
        byte[] bytes = new byte[column.offset(row + 1) - column.offset(row)];
        column.values().get(column.offset(row), bytes);
        return bytes;
    }
}
