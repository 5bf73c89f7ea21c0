// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import org.sparkgap.store.Manifest;
import org.sparkgap.store.SegmentInfo;

/**
 * The text of job.json (docs/program-contract.md) for all hosts, a pure function of the job. Agents add the folders of
 * outputs.
 */
final class JobFile {
    static final String NAME = "job.json";
    static final String PROGRESS = "progress.jsonl";
    private static final int VERSION = 1;
    private static final ObjectMapper JSON = new ObjectMapper();

    private JobFile() {}

    static String text(Job job) {
        ObjectNode root = JSON.createObjectNode();
        root.put("version", VERSION)
                .put("job", job.id())
                .put("program", job.program().name())
                .put("ranks", job.ranks())
                .put("threads", job.threads());
        root.set("rank_hosts", JSON.valueToTree(job.rankHosts()));
        root.set("parameters", JSON.valueToTree(job.parameters()));
        ObjectNode inputs = root.putObject("inputs");
        for (Map.Entry<String, Manifest> input : job.inputs().entrySet()) {
            if (input.getValue() == null) {
                inputs.putNull(input.getKey());
            } else {
                addInput(inputs.putObject(input.getKey()), input.getValue(), job.hosts());
            }
        }
        root.putObject("output").put("segment_bytes", job.segmentBytes());
        root.put("progress", PROGRESS).put("done", "done-%d.json");
        return root.toPrettyString();
    }

    private static void addInput(ObjectNode node, Manifest table, List<String> hosts) {
        node.put("rows", table.rows());
        var segments = node.putArray("segments");
        // With one host, all segments are on it. Spark may know it by several names; the ranks use one.
        String only = hosts.size() == 1 ? hosts.get(0) : null;
        for (SegmentInfo segment : table.segments()) {
            if (only == null && segment.rows() == 0 && !hosts.contains(segment.host())) {
                continue; // without rows it only tells the columns' types, and this host has no ranks
            }
            segments.addObject()
                    .put("host", only != null ? only : segment.host())
                    .put("path", segment.path())
                    .put("rows", segment.rows())
                    .put("bytes", segment.bytes());
        }
        if (table.graph() != null) {
            node.set("graph", (only == null ? table.graph() : table.graph().on(only)).json());
        }
    }
}
