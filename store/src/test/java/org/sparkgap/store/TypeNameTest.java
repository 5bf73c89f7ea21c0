// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sparkgap.store.ColumnType.Kind;

class TypeNameTest {
    private static final ColumnType INT = ColumnType.of(Kind.INT);

    @ParameterizedTest
    @ValueSource(
            strings = {
                "boolean",
                "timestamp_ntz",
                "decimal(10,2)",
                "decimal(38,38)",
                "array<int>",
                "array<int not null>",
                "array<array<string not null>>",
                "struct<a:int>",
                "struct<A:bigint not null,b_1:decimal(10,2)>",
                "struct<1:int>",
                "struct<x:array<struct<y:binary,z:date not null> not null> not null>",
                "struct<``:int>",
                "struct<`a b`:int,`c``>`:array<int>,`:,`:date>",
                "struct<`grün 🙂`:int>",
                "struct<` not null`:int not null>",
                "struct<a:int,a:int>"
            })
    void namesComeBack(String name) {
        assertEquals(name, ColumnType.find(name).ddl());
    }

    @Test
    void partsAreNamed() {
        ColumnType type = ColumnType.find("struct<a`");
        assertNull(type);
        type = ColumnType.find("struct<`a``b`:array<int not null>,c:decimal(5,1) not null>");
        assertEquals(
                ColumnType.struct(List.of(
                        new Column("a`b", ColumnType.array(INT, false), true),
                        new Column("c", ColumnType.decimal(5, 1), false))),
                type);
        assertEquals(3, type.depth());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "int ",
                "void",
                "INT",
                "decimal",
                "decimal(0,0)",
                "decimal(39,1)",
                "decimal(3,4)",
                "decimal(3,-1)",
                "decimal(10, 2)",
                "decimal(10,2",
                "decimal(1,1)x",
                "array",
                "array<>",
                "array<int",
                "array<int>>",
                "array<int null>",
                "array<map<int,int>>",
                "map<int,int>",
                "struct",
                "struct<>",
                "struct<a>",
                "struct<a:>",
                "struct<a:int,>",
                "struct<a:int",
                "struct<:int>",
                "struct<`a:int>",
                "struct<a b:int>",
                "struct<a:int b:int>",
                "int<int>",
                "int not null"
            })
    void othersAreNone(String name) {
        assertNull(ColumnType.find(name), name);
    }

    @Test
    void depthHasAnEnd() {
        ColumnType deepest = INT;
        for (int i = 1; i < ColumnType.MAX_DEPTH; i++) {
            deepest = ColumnType.array(deepest, true);
        }
        assertEquals(deepest, ColumnType.find(deepest.ddl()));
        ColumnType last = deepest;
        assertThrows(IllegalArgumentException.class, () -> ColumnType.array(last, true));
        assertNull(ColumnType.find("array<" + deepest.ddl() + ">"));
        assertNull(ColumnType.find("array<".repeat(100_000)));
        assertThrows(IllegalArgumentException.class, () -> ColumnType.struct(List.of()));
        assertThrows(IllegalArgumentException.class, () -> ColumnType.of(Kind.ARRAY));
    }
}
