// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A valid Arrow file of kernels/fuzz/seeds, and where its fields stand (make_seeds.py there), to be changed one by one.
 */
public final class SeedFile {
    /** In the order in which a program of changes numbers them. */
    public static final List<String> NAMES =
            List.of("flat", "nested", "edges", "empty", "degrees", "graph", "graph.in", "graph.out", "texts");
    /** What numbers of lengths and places go wrong at; kernels/fuzz/seed_changes.h has the same. */
    private static final long[] EDGES = {
        0,
        1,
        -1,
        2,
        7,
        8,
        63,
        64,
        127,
        128,
        255,
        256,
        0x7FFF,
        0x8000,
        0xFFFF,
        Integer.MAX_VALUE,
        Integer.MIN_VALUE,
        0xFFFFFFFFL,
        1L << 32,
        1L << 40,
        1L << 59,
        1L << 60,
        (1L << 61) - 1,
        1L << 61,
        (1L << 62) - 1,
        1L << 62,
        Long.MAX_VALUE - 63,
        Long.MAX_VALUE - 7,
        Long.MAX_VALUE,
        Long.MIN_VALUE,
        -8,
        -64
    };

    private static final int CHANGE_BYTES = 11;

    private record Place(int at, int bytes, String name) {}

    private final byte[] whole;
    private final List<Place> fields = new ArrayList<>();

    public SeedFile(Path folder, String name) {
        try {
            whole = Files.readAllBytes(folder.resolve(name + ".arrow"));
            for (String line : Files.readAllLines(folder.resolve(name + ".fields"))) {
                String[] words = line.split(" ", 3);
                fields.add(new Place(Integer.parseInt(words[0]), Integer.parseInt(words[1]), words[2]));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static List<SeedFile> all(Path folder) {
        return NAMES.stream().map(name -> new SeedFile(folder, name)).toList();
    }

    /** A copy to work on. */
    public byte[] bytes() {
        return whole.clone();
    }

    /** Sets the field of that name in a copy. */
    public void set(byte[] copy, String name, long value) {
        put(copy, field(name), value);
    }

    public long get(byte[] copy, String name) {
        return get(copy, field(name));
    }

    /** What 11 bytes each say is to be changed: which field (2), how (1), by what (8). */
    public byte[] changed(ByteBuffer program) {
        byte[] copy = bytes();
        program.order(ByteOrder.LITTLE_ENDIAN);
        while (program.remaining() >= CHANGE_BYTES) {
            Place field = fields.get((program.getShort() & 0xFFFF) % fields.size());
            int how = program.get() & 3;
            long value = program.getLong();
            long before = get(copy, field);
            put(
                    copy,
                    field,
                    switch (how) {
                        case 0 -> value;
                        case 1 -> before + (byte) value;
                        case 2 -> EDGES[(int) Long.remainderUnsigned(value, EDGES.length)];
                        default -> get(copy, fields.get((int) Long.remainderUnsigned(value, fields.size())));
                    });
        }
        return copy;
    }

    private Place field(String name) {
        return fields.stream()
                .filter(field -> field.name.equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static long get(byte[] copy, Place field) {
        long value = 0;
        for (int i = field.bytes - 1; i >= 0; i--) {
            value = value << 8 | copy[field.at + i] & 0xFF;
        }
        return value;
    }

    private static void put(byte[] copy, Place field, long value) {
        for (int i = 0; i < field.bytes; i++) {
            copy[field.at + i] = (byte) (value >> 8 * i);
        }
    }
}
