// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamWriteConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A valid JSON file of kernels/fuzz/seeds, to be changed value by value. */
final class SeedJson {
    /** Writes what readers refuse for its depth. */
    private static final ObjectMapper JSON = new ObjectMapper(JsonFactory.builder()
            .streamWriteConstraints(
                    StreamWriteConstraints.builder().maxNestingDepth(100_000).build())
            .build());

    private static final List<JsonNode> ODD = odd();
    private static final int CHANGE_BYTES = 11;

    private record Place(JsonNode parent, String key, int index) {
        JsonNode get() {
            return parent instanceof ObjectNode object ? object.get(key) : parent.get(index);
        }

        void set(JsonNode value) {
            if (parent instanceof ObjectNode object) {
                object.set(key, value);
            } else {
                ((ArrayNode) parent).set(index, value);
            }
        }

        void remove() {
            if (parent instanceof ObjectNode object) {
                object.remove(key);
            } else {
                ((ArrayNode) parent).remove(index);
            }
        }
    }

    private final JsonNode whole;

    SeedJson(Path folder, String name) {
        try {
            whole = JSON.readTree(folder.resolve(name + ".json").toFile());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What 11 bytes each say is to be changed: which value in the order of the text (2), how (1), by what (8). */
    byte[] changed(ByteBuffer program) throws IOException {
        JsonNode copy = whole.deepCopy();
        program.order(ByteOrder.LITTLE_ENDIAN);
        while (program.remaining() >= CHANGE_BYTES) {
            List<Place> places = new ArrayList<>();
            list(copy, places);
            int which = program.getShort() & 0xFFFF;
            int how = (program.get() & 0xFF) % 5;
            long value = program.getLong();
            if (places.isEmpty()) {
                continue;
            }
            Place place = places.get(which % places.size());
            switch (how) {
                case 0 -> place.set(JSON.getNodeFactory().numberNode(value));
                case 1 -> place.set(
                        ODD.get((int) Long.remainderUnsigned(value, ODD.size())).deepCopy());
                case 2 -> place.set(places.get((int) Long.remainderUnsigned(value, places.size()))
                        .get()
                        .deepCopy());
                case 3 -> place.remove();
                default -> place.set(JSON.createArrayNode()
                        .add(place.get().deepCopy())
                        .add(place.get().deepCopy()));
            }
        }
        return JSON.writeValueAsBytes(copy);
    }

    private static void list(JsonNode node, List<Place> places) {
        if (node instanceof ObjectNode object) {
            for (var entry : object.properties()) {
                places.add(new Place(object, entry.getKey(), 0));
                list(entry.getValue(), places);
            }
        } else {
            for (int i = 0; i < node.size(); i++) {
                places.add(new Place(node, null, i));
                list(node.get(i), places);
            }
        }
    }

    private static List<JsonNode> odd() {
        try {
            String deep = "[".repeat(400) + "1" + "]".repeat(400);
            return List.copyOf(JSON.readValue(
                            "[null, true, false, \"\", \"x\", \"1\", \"\\u0000\", [], {}, 0.5, -0.0, 1e300, -1, 0, "
                                    + "2, 9223372036854775807, -9223372036854775808, "
                                    + "18446744073709551615, 4294967296, 1e9999, \"../../x\", \"/\", "
                                    + "\"decimal(99,-1)\", \"struct<>\", \"array<array<int>\", "
                                    + deep + "]",
                            ArrayNode.class)
                    .valueStream()
                    .toList());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
