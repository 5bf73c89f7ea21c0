// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import java.io.Serializable;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The type of a column, one of FORMAT.md, under the name that Spark's DDL gives it.
 *
 * @param precision digits of a decimal, else 0
 * @param scale digits of a decimal behind the point, else 0
 */
public record ColumnType(Kind kind, int precision, int scale) implements Serializable {
  /** What a value is; {@code width} is its bytes in the values buffer, 0 for a bit, -1 for characters behind offsets. */
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
    BINARY("binary", -1);

    private final String ddl;
    private final int width;

    Kind(String ddl, int width) {
      this.ddl = ddl;
      this.width = width;
    }
  }

  private static final Pattern DECIMAL = Pattern.compile("decimal\\((\\d+),(-?\\d+)\\)");
  private static final Map<String, Kind> BY_NAME = byName();

  public ColumnType {
    boolean sound = kind == Kind.DECIMAL ? precision >= 1 && precision <= 38 && scale >= 0 && scale <= precision : precision == 0 && scale == 0;
    if (!sound) {
      throw new IllegalArgumentException(kind + "(" + precision + "," + scale + ")");
    }
  }

  public static ColumnType of(Kind kind) {
    return new ColumnType(kind, 0, 0);
  }

  public static ColumnType decimal(int precision, int scale) {
    return new ColumnType(Kind.DECIMAL, precision, scale);
  }

  /** The type of a DDL name such as "bigint" or "decimal(10,2)", or null where FORMAT.md has none of that name. */
  public static ColumnType find(String ddl) {
    Matcher decimal = DECIMAL.matcher(ddl);
    if (decimal.matches()) {
      int precision = Integer.parseInt(decimal.group(1));
      int scale = Integer.parseInt(decimal.group(2));
      return precision >= 1 && precision <= 38 && scale >= 0 && scale <= precision ? decimal(precision, scale) : null;
    }
    Kind kind = BY_NAME.get(ddl);
    return kind == null || kind == Kind.DECIMAL ? null : of(kind);
  }

  public String ddl() {
    return kind == Kind.DECIMAL ? "decimal(" + precision + "," + scale + ")" : kind.ddl;
  }

  /** Bytes of a value in the values buffer; 0 = one bit, -1 = characters behind offsets. */
  public int width() {
    return kind.width;
  }

  public boolean hasOffsets() {
    return kind.width < 0;
  }

  /** Bytes of the values buffer of that many rows; only for types without offsets. */
  public long valueBytes(long rows) {
    return kind.width == 0 ? (rows + 7) / 8 : rows * kind.width;
  }

  private static Map<String, Kind> byName() {
    Map<String, Kind> names = new HashMap<>();
    for (Kind kind : Kind.values()) {
      names.put(kind.ddl, kind);
    }
    return Map.copyOf(names);
  }
}
