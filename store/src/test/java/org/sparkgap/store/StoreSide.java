// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * The Java side of conformance/test_store_sides.py: a process that does what it reads, a list of words in a line of
 * JSON, and answers with a line of JSON, which holds {@code code} and {@code text} where it was refused.
 */
final class StoreSide {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final List<Column> COLUMNS = List.of(new Column("id", ColumnType.of(ColumnType.Kind.BIGINT), false));
    private static final int ROWS = 5;

    private final Path memory;
    private final Path disk;
    private StoreHome home;
    private StoreHome onDisk;

    private StoreSide(Path memory, Path disk) {
        this.memory = memory;
        this.disk = disk;
    }

    /** {@code StoreSide MEMORY DISK}: the stores of its home. */
    public static void main(String[] args) throws Exception {
        StoreSide side = new StoreSide(Path.of(args[0]), Path.of(args[1]));
        var input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            Map<String, Object> answer = new LinkedHashMap<>(Map.of("code", 0));
            try {
                answer.put("said", side.run(JSON.readValue(line, String[].class)));
            } catch (SparkGapException e) {
                answer.put("code", e.code());
                answer.put("text", e.text());
            }
            System.out.println(JSON.writeValueAsString(answer));
        }
    }

    private Object run(String[] words) throws Exception {
        return switch (words[0]) {
            case "own" -> (home = StoreHome.create(memory, words[1], "driver"))
                    .path()
                    .toString();
            case "table" -> put(table(words[1])).name();
            case "half" -> Files.writeString(
                            home.tables().resolve(table(words[1]).name() + ".json.part"), "{")
                    .toString();
            case "move" -> move(words[1]);
            case "publish" -> published(memory, disk)
                    .publish(new TableStore(home).get(words[1]), words[1], "app")
                    .published()
                    .folder();
            case "births" -> births(words[1], Integer.parseInt(words[2]));
            case "sweep" -> sweep(Path.of(words[1]), Path.of(words[2]));
            case "drop" -> drop(published(Path.of(words[1]), Path.of(words[2])), words[3]);
            case "list" -> list(published(Path.of(words[1]), Path.of(words[2])));
            case "read" -> read(words);
            default -> throw new IllegalArgumentException(words[0]);
        };
    }

    private Manifest table(String name) {
        try (SegmentWriter writer = new SegmentWriter(
                home.segments(name + "." + UUID.randomUUID()), "part-00000", "node1", COLUMNS, 1 << 20)) {
            for (int i = 0; i < ROWS; i++) {
                writer.column(0).appendLong(i);
            }
            writer.advance(ROWS);
            return new Manifest(name, COLUMNS, writer.finish(true));
        }
    }

    private Manifest put(Manifest table) {
        try (TableStore.Reservation name = new TableStore(home).reserve("table", table.name())) {
            name.put(table);
        }
        return table;
    }

    private String move(String name) {
        Path segment = Path.of(new TableStore(home).get(name).segments().get(0).path());
        onDisk = StoreHome.create(disk, home.path().getFileName().toString().split("\\.")[0], "driver");
        return SegmentMove.to(onDisk.segments(segment.getParent().getFileName().toString()), segment)
                .toString();
    }

    /** Homes come and go; how many of them lost something while they lived. */
    private int births(String application, int times) throws Exception {
        int lost = 0;
        for (int i = 0; i < times; i++) {
            try (StoreHome born = StoreHome.create(memory, application, "driver")) {
                Path file = Files.writeString(born.segments("t").resolve("part.arrow"), "x");
                Thread.sleep(2);
                lost += Files.exists(file) && Files.exists(born.path().resolve(StoreHome.LOCK)) ? 0 : 1;
            }
        }
        return lost;
    }

    private static PublishedTables published(Path memory, Path disk) {
        return new PublishedTables(StoreHome.prepare(memory), disk);
    }

    private static int sweep(Path memory, Path disk) {
        published(memory, disk).sweep();
        return StoreHome.sweep(memory) + StoreHome.sweep(disk);
    }

    private static String drop(PublishedTables tables, String name) {
        if (!tables.drop(name)) {
            throw new SparkGapException(
                    SparkGapException.ARGUMENTS,
                    "table '" + name + "'",
                    "a table of the store",
                    "none",
                    "Do look with ls");
        }
        return name;
    }

    private static List<List<Object>> list(PublishedTables tables) {
        List<List<Object>> found = new ArrayList<>();
        for (String name : tables.list()) {
            try {
                Manifest table = tables.get(name);
                found.add(List.of(name, table.rows(), PublishedTables.isWhole(table) ? 0 : SparkGapException.DATA));
            } catch (SparkGapException e) {
                found.add(List.of(name, "damaged", e.code()));
            }
        }
        return found;
    }

    /** What each file says, in rows, bytes and the folder of its edition; null where it is no manifest. */
    private static List<Object> read(String[] words) {
        List<Object> found = new ArrayList<>();
        for (int i = 1; i < words.length; i++) {
            try {
                Manifest table = Manifest.read(Path.of(words[i]));
                found.add(List.of(
                        table.rows(),
                        table.bytes(),
                        table.graph() != null,
                        table.published() == null ? "" : table.published().folder()));
            } catch (SparkGapException e) {
                found.add(null);
            }
        }
        return found;
    }
}
