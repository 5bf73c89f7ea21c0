// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import java.io.Serializable;
import java.util.List;

/**
 * The type of a column, one of FORMAT.md, under a name that extends Spark's DDL (see {@link TypeName}).
 *
 * @param precision digits of a decimal, else 0
 * @param scale digits of a decimal behind the point, else 0
 * @param children the element of an array, always under the name {@link #ELEMENT}; the fields of a struct; else none
 */
public record ColumnType(Kind kind, int precision, int scale, List<Column> children) implements Serializable {
    /**
     * The kind of a value. {@code width} is its bytes in the values buffer, 0 for a bit, -1 for values behind offsets,
     * -2 for a struct.
     */
    public enum Kind {
        BOOLEAN("boolean", 0),
        TINYINT("tinyint", 1),
        SMALLINT("smallint", 2),
        INT("int", 4),
        BIGINT("bigint", 8),
        FLOAT("float", 4),
        DOUBLE("double", 8),
        DECIMAL("decimal", 16),
        DATE("date", 4),
        TIMESTAMP("timestamp", 8),
        TIMESTAMP_NTZ("timestamp_ntz", 8),
        STRING("string", -1),
        BINARY("binary", -1),
        ARRAY("array", -1),
        STRUCT("struct", -2);

        final String ddl;
        private final int width;

        Kind(String ddl, int width) {
            this.ddl = ddl;
            this.width = width;
        }
    }

    public static final String ELEMENT = "element";
    /** Most levels of nested types, with the column's own. Arrow's readers in C and C++ accept as many. */
    public static final int MAX_DEPTH = 32;

    public ColumnType {
        children = List.copyOf(children);
        boolean sound =
                switch (kind) {
                    case DECIMAL -> children.isEmpty() && isDecimal(precision, scale);
                    case ARRAY -> children.size() == 1 && children.get(0).name().equals(ELEMENT);
                    case STRUCT -> !children.isEmpty();
                    default -> children.isEmpty();
                };
        if (!sound || kind != Kind.DECIMAL && (precision != 0 || scale != 0) || depth(children) > MAX_DEPTH) {
            throw new IllegalArgumentException(
                    kind + "(" + precision + "," + scale + ") of " + children.size() + " parts");
        }
    }

    public static ColumnType of(Kind kind) {
        return new ColumnType(kind, 0, 0, List.of());
    }

    public static ColumnType decimal(int precision, int scale) {
        return new ColumnType(Kind.DECIMAL, precision, scale, List.of());
    }

    public static ColumnType array(ColumnType element, boolean containsNull) {
        return new ColumnType(Kind.ARRAY, 0, 0, List.of(new Column(ELEMENT, element, containsNull)));
    }

    public static ColumnType struct(List<Column> fields) {
        return new ColumnType(Kind.STRUCT, 0, 0, fields);
    }

    static boolean isDecimal(int precision, int scale) {
        return precision >= 1 && precision <= 38 && scale >= 0 && scale <= precision;
    }

    /** The type of a name such as "bigint", "decimal(10,2)" or "array<int>", or null if FORMAT.md has no such type. */
    public static ColumnType find(String name) {
        return TypeName.parse(name);
    }

    public String ddl() {
        return TypeName.of(this);
    }

    /**
     * Bytes of a value in the values buffer; 0 = one bit, -1 = characters or elements behind offsets, -2 = none, as for
     * a struct.
     */
    public int width() {
        return kind.width;
    }

    public boolean hasOffsets() {
        return kind.width == -1;
    }

    public boolean isNested() {
        return !children.isEmpty();
    }

    /** Levels of types, 1 for a flat one. */
    public int depth() {
        return depth(children);
    }

    /** Bytes of the values buffer of that many rows; 0 for types whose values stand behind offsets or in children. */
    public long valueBytes(long rows) {
        return kind.width == 0 ? (rows + 7) / 8 : rows * Math.max(0, kind.width);
    }

    /** Bytes of a row in this column's own buffers and its fields', without what stands behind offsets; at least 1. */
    long rowBytes() {
        if (kind == Kind.STRUCT) {
            return children.stream().mapToLong(field -> field.type().rowBytes()).sum();
        }
        return Math.max(1, hasOffsets() ? Integer.BYTES : kind.width);
    }

    private static int depth(List<Column> children) {
        return 1
                + children.stream()
                        .mapToInt(child -> child.type().depth())
                        .max()
                        .orElse(0);
    }
}
