// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The files of a stored graph beside its table of vertices: the arcs, one segment per part and direction (FORMAT.md,
 * Graphs).
 *
 * @param weight the name of the column of weights, null without weights
 * @param edges rows that it was built from
 * @param out empty without direction: the arcs into a vertex are those that leave it
 */
public record GraphFiles(boolean directed, String weight, long edges, List<SegmentInfo> in, List<SegmentInfo> out) {
    private static final ObjectMapper JSON = new ObjectMapper();

    public GraphFiles {
        in = List.copyOf(in);
        out = List.copyOf(out);
    }

    public List<SegmentInfo> segments() {
        return Stream.concat(in.stream(), out.stream()).toList();
    }

    public long bytes() {
        return segments().stream().mapToLong(SegmentInfo::bytes).sum();
    }

    /** The same with all files on this host. */
    public GraphFiles on(String host) {
        return new GraphFiles(
                directed,
                weight,
                edges,
                in.stream().map(s -> s.on(host)).toList(),
                out.stream().map(s -> s.on(host)).toList());
    }

    /** As manifests and jobs hold it. */
    public ObjectNode json() {
        ObjectNode node = JSON.createObjectNode()
                .put("directed", directed)
                .put("weighted", weight != null)
                .put("weight", weight)
                .put("edges", edges);
        node.set("in", JSON.valueToTree(in));
        node.set("out", JSON.valueToTree(out));
        return node;
    }

    /**
     * Null if there is no such node. Errors: IllegalArgumentException. A rank's report lacks the name of the weights
     * and the number of edges.
     */
    public static GraphFiles read(JsonNode node) {
        if (node.isMissingNode() || node.isNull()) {
            return null;
        }
        for (String key : List.of("in", "out")) {
            if (!node.path(key).isArray()) {
                throw new IllegalArgumentException("a graph without the list " + key);
            }
        }
        if (!node.path("directed").isBoolean() || !node.path("weighted").isBoolean()) {
            throw new IllegalArgumentException(
                    "a graph that says neither whether it has a direction nor whether it has weights");
        }
        JsonNode edges = node.path("edges");
        if (!edges.isMissingNode() && (!edges.isIntegralNumber() || !edges.canConvertToLong() || edges.asLong() < 0)) {
            throw new IllegalArgumentException("a graph without a whole number of edges");
        }
        String weight = node.path("weighted").asBoolean() ? node.path("weight").asText("weight") : null;
        return new GraphFiles(
                node.path("directed").asBoolean(),
                weight,
                edges.asLong(),
                segments(node.path("in")),
                segments(node.path("out")));
    }

    private static List<SegmentInfo> segments(JsonNode array) {
        List<SegmentInfo> segments = new ArrayList<>();
        for (JsonNode node : array) {
            segments.add(SegmentInfo.read(node));
        }
        return segments;
    }
}
