// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;

/**
 * A table: its columns and its segments in row order, as {@code <table>.json} says it (FORMAT.md).
 *
 * @param graph the arcs, if the rows are the vertices of a stored graph; else null
 * @param published the publication, if the table outlives its writer; else null
 */
public record Manifest(
        String name, List<Column> columns, List<SegmentInfo> segments, GraphFiles graph, Publication published) {
    private static final int VERSION = 1;
    private static final ObjectMapper JSON = new ObjectMapper()
            .setDefaultPropertyInclusion(JsonInclude.Include.ALWAYS)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    public Manifest {
        columns = List.copyOf(columns);
        segments = List.copyOf(segments);
    }

    public Manifest(String name, List<Column> columns, List<SegmentInfo> segments) {
        this(name, columns, segments, null, null);
    }

    public Manifest(String name, List<Column> columns, List<SegmentInfo> segments, GraphFiles graph) {
        this(name, columns, segments, graph, null);
    }

    public long rows() {
        return segments.stream().mapToLong(SegmentInfo::rows).sum();
    }

    public long bytes() {
        return segments.stream().mapToLong(SegmentInfo::bytes).sum();
    }

    /** Null if there is no such file. Errors: code 3 if it is no manifest, or a link. */
    public static Manifest read(Path file) {
        try (InputStream said = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
            return parse(JSON.readTree(said.readAllBytes()));
        } catch (NoSuchFileException e) {
            return null;
        } catch (IOException | RuntimeException e) {
            String text = SparkGapException.sentence(
                    "table " + file,
                    "a manifest of version " + VERSION,
                    String.valueOf(e.getMessage()),
                    "Do make the table again");
            throw new SparkGapException(SparkGapException.DATA, text, e);
        }
    }

    /**
     * Written under another name and renamed, so an existing manifest is complete. Errors: code 4 if the folder cannot
     * be written.
     */
    public void write(Path file) {
        write(file, false);
    }

    /** @param durable whether it must survive a loss of power */
    void write(Path file, boolean durable) {
        Path aside = file.resolveSibling(file.getFileName() + ".part");
        try {
            Files.write(aside, JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(json()));
            if (durable) {
                DiskSync.sync(aside);
            }
            Files.move(aside, file, StandardCopyOption.ATOMIC_MOVE);
            if (durable) {
                DiskSync.sync(file.getParent());
            }
        } catch (IOException e) {
            try {
                Files.deleteIfExists(aside);
            } catch (IOException again) {
                e.addSuppressed(again);
            }
            throw StoreErrors.cannotWrite(file.getParent(), e);
        }
    }

    /** Reads every segment completely. Errors: code 3 at the first that differs from the manifest. */
    public void verify() {
        for (SegmentInfo expected : segments) {
            String checksum = Segment.open(Path.of(expected.path()), expected.bytes(), expected.rows(), columns)
                    .checksum();
            if (expected.isChecked() && !checksum.equals(expected.crc32c())) {
                throw new SparkGapException(
                        SparkGapException.DATA,
                        "segment " + expected.path(),
                        expected.rows() + " rows with crc32c " + expected.crc32c(),
                        "crc32c " + checksum,
                        "Do make the table again");
            }
        }
    }

    private ObjectNode json() {
        ObjectNode root = JSON.createObjectNode();
        root.put("version", VERSION).put("name", name).put("rows", rows()).put("bytes", bytes());
        root.set("schema", schemaJson(columns));
        root.set("segments", JSON.valueToTree(segments));
        if (graph != null) {
            root.set("graph", graph.json());
        }
        if (published != null) {
            root.set("published", JSON.valueToTree(published));
        }
        return root;
    }

    /** Columns as a "schema" array. */
    public static JsonNode schemaJson(List<Column> columns) {
        var array = JSON.createArrayNode();
        for (Column column : columns) {
            array.addObject()
                    .put("name", column.name())
                    .put("type", column.type().ddl())
                    .put("nullable", column.nullable());
        }
        return array;
    }

    /** The columns of a "schema" array, as manifests and done files hold it. */
    public static List<Column> columns(JsonNode schema) {
        List<Column> columns = new ArrayList<>();
        for (JsonNode field : schema) {
            ColumnType type = ColumnType.find(field.path("type").asText());
            if (type == null || !field.path("name").isTextual()) {
                throw new IllegalArgumentException("column " + field + " has no type of store/FORMAT.md");
            }
            JsonNode nullable = field.path("nullable");
            if (!nullable.isBoolean() && !nullable.isMissingNode()) {
                throw new IllegalArgumentException("column " + field + " with nullable neither true nor false");
            }
            columns.add(new Column(field.get("name").asText(), type, nullable.asBoolean(true)));
        }
        return columns;
    }

    private static Manifest parse(JsonNode root) throws IOException {
        if (!root.path("version").isInt() || root.get("version").asInt() != VERSION) {
            throw new IllegalArgumentException("version " + root.path("version"));
        }
        List<Column> columns = columns(root.path("schema"));
        if (!root.path("name").isTextual()
                || !root.path("schema").isArray()
                || !root.path("segments").isArray()) {
            throw new IllegalArgumentException("no name, schema or segments");
        }
        List<SegmentInfo> segments = new ArrayList<>();
        long rows = 0;
        long bytes = 0;
        for (JsonNode segment : root.get("segments")) {
            SegmentInfo info = SegmentInfo.read(segment);
            rows = Math.addExact(rows, info.rows());
            bytes = Math.addExact(bytes, info.bytes());
            segments.add(info);
        }
        return new Manifest(
                root.path("name").asText(),
                columns,
                segments,
                GraphFiles.read(root.path("graph")),
                Publication.read(root.path("published")));
    }
}
