// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.sparkgap.store.Column;
import org.sparkgap.store.GraphFiles;
import org.sparkgap.store.Manifest;
import org.sparkgap.store.SegmentInfo;

/** What a rank says in its done file. */
record RankReport(
        long rows,
        List<Column> columns,
        List<SegmentInfo> segments,
        GraphFiles graph,
        double buildSeconds,
        double computeSeconds,
        double writeSeconds,
        long peakRssBytes,
        long iterations,
        Boolean converged,
        double residual,
        Map<String, double[]> figures) {
    /** Errors: IllegalArgumentException or IOException if the file breaks the contract. */
    static RankReport read(JobFolder folder, int rank, String host) throws IOException {
        JsonNode done = JobFolder.json(folder.doneFile(rank));
        if (done == null) {
            throw new IOException("none");
        }
        List<SegmentInfo> segments = new ArrayList<>();
        for (JsonNode node : done.path("segments")) {
            segments.add(SegmentInfo.read(node).on(host));
        }
        GraphFiles graph = GraphFiles.read(done.path("graph"));
        if (graph != null) {
            graph = graph.on(host);
        }
        JsonNode seconds = done.path("seconds");
        return new RankReport(
                done.path("rows").asLong(),
                Manifest.columns(done.path("schema")),
                segments,
                graph,
                seconds.path("build").asDouble(),
                seconds.path("compute").asDouble(),
                seconds.path("write").asDouble(),
                done.path("peak_rss_bytes").asLong(),
                done.path("iterations").asLong(),
                done.path("converged").isBoolean()
                        ? (Boolean) done.path("converged").asBoolean()
                        : null,
                done.path("residual").asDouble(),
                figures(done.path("figures")));
    }

    /** A number; null stands for one that JSON cannot hold, such as infinity. Errors: IllegalArgumentException. */
    private static Map<String, double[]> figures(JsonNode node) {
        Map<String, double[]> figures = new TreeMap<>();
        for (Map.Entry<String, JsonNode> figure : node.properties()) {
            if (!figure.getValue().isArray()) {
                throw new IllegalArgumentException("figures." + figure.getKey() + " is no list");
            }
            double[] values = new double[figure.getValue().size()];
            for (int i = 0; i < values.length; ++i) {
                values[i] = figure.getValue().get(i).asDouble(Double.NaN);
            }
            figures.put(figure.getKey(), values);
        }
        return figures;
    }
}
