// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.sparkgap.store.ColumnType.Kind;

/**
 * Types as text and back: Spark's DDL without spaces, and "not null" after a type that is never null.
 *
 * <p>{@code array<int not null>} and {@code struct<id:bigint not null,`a name`:array<decimal(10,2)>>}. A field's name
 * is in back-ticks, with its own ones doubled, unless it has only ASCII letters, digits and underscores. Spark's own
 * names do not say whether an element may be null.
 */
final class TypeName {
    private static final String NOT_NULL = " not null";
    private static final Map<String, Kind> KINDS = kinds();

    private final String text;
    private int at;

    private TypeName(String text) {
        this.text = text;
    }

    static String of(ColumnType type) {
        StringBuilder name = new StringBuilder();
        write(type, name);
        return name.toString();
    }

    /** Null if it is no name of a type. */
    static ColumnType parse(String text) {
        try {
            TypeName reader = new TypeName(text);
            ColumnType type = reader.type(1);
            return reader.at == text.length() ? type : null;
        } catch (NoSuchType e) {
            return null;
        }
    }

    private static void write(ColumnType type, StringBuilder name) {
        name.append(type.kind().ddl);
        switch (type.kind()) {
            case DECIMAL -> name.append('(')
                    .append(type.precision())
                    .append(',')
                    .append(type.scale())
                    .append(')');
            case ARRAY -> {
                name.append('<');
                writePart(type.children().get(0), name);
                name.append('>');
            }
            case STRUCT -> {
                char before = '<';
                for (Column field : type.children()) {
                    name.append(before).append(quoted(field.name())).append(':');
                    writePart(field, name);
                    before = ',';
                }
                name.append('>');
            }
            default -> {}
        }
    }

    private static void writePart(Column part, StringBuilder name) {
        write(part.type(), name);
        if (!part.nullable()) {
            name.append(NOT_NULL);
        }
    }

    private static String quoted(String field) {
        boolean plain = !field.isEmpty() && field.chars().allMatch(TypeName::isPlain);
        return plain ? field : "`" + field.replace("`", "``") + "`";
    }

    private ColumnType type(int depth) {
        expect(depth <= ColumnType.MAX_DEPTH);
        Kind kind = KINDS.get(plain());
        expect(kind != null);
        return switch (kind) {
            case DECIMAL -> decimal();
            case ARRAY -> {
                expect(skip("<"));
                Column element = part(ColumnType.ELEMENT, depth);
                expect(skip(">"));
                yield ColumnType.array(element.type(), element.nullable());
            }
            case STRUCT -> {
                expect(skip("<"));
                List<Column> fields = new ArrayList<>();
                do {
                    String field = field();
                    expect(skip(":"));
                    fields.add(part(field, depth));
                } while (skip(","));
                expect(skip(">"));
                yield ColumnType.struct(fields);
            }
            default -> ColumnType.of(kind);
        };
    }

    private Column part(String name, int depth) {
        ColumnType type = type(depth + 1);
        return new Column(name, type, !skip(NOT_NULL));
    }

    private ColumnType decimal() {
        expect(skip("("));
        int precision = number();
        expect(skip(","));
        int scale = number();
        expect(skip(")") && ColumnType.isDecimal(precision, scale));
        return ColumnType.decimal(precision, scale);
    }

    private int number() {
        String digits = plain();
        expect(!digits.isEmpty() && digits.length() <= 2 && digits.chars().allMatch(c -> c >= '0' && c <= '9'));
        return Integer.parseInt(digits);
    }

    private String field() {
        if (!skip("`")) {
            String name = plain();
            expect(!name.isEmpty());
            return name;
        }
        StringBuilder name = new StringBuilder();
        while (true) {
            expect(at < text.length());
            char next = text.charAt(at++);
            if (next == '`' && !skip("`")) {
                return name.toString();
            }
            name.append(next);
        }
    }

    /** The letters, digits and underscores from here on. */
    private String plain() {
        int from = at;
        while (at < text.length() && isPlain(text.charAt(at))) {
            at++;
        }
        return text.substring(from, at);
    }

    private static boolean isPlain(int c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_';
    }

    private boolean skip(String expected) {
        boolean here = text.startsWith(expected, at);
        at += here ? expected.length() : 0;
        return here;
    }

    private static void expect(boolean sound) {
        if (!sound) {
            throw new NoSuchType();
        }
    }

    private static Map<String, Kind> kinds() {
        Map<String, Kind> names = new HashMap<>();
        for (Kind kind : Kind.values()) {
            names.put(kind.ddl, kind);
        }
        return Map.copyOf(names);
    }

    /** Ends the parse from any depth; it has no text, because {@link #parse} returns null. */
    private static final class NoSuchType extends RuntimeException {
        NoSuchType() {
            super(null, null, false, false);
        }
    }
}
