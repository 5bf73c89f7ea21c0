// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.Serializable;

/**
 * One segment as the manifest names it.
 *
 * @param bytes size of the file
 * @param crc32c CRC-32C of the whole file, eight hex digits; null or empty if unknown
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record SegmentInfo(String host, String path, long rows, long bytes, String crc32c) implements Serializable {
    /**
     * Reads the form of manifests, jobs and reports. Jackson by itself reads a missing number as 0, and 1.5 as 1.
     *
     * <p>Errors: IllegalArgumentException.
     */
    public static SegmentInfo read(JsonNode node) {
        JsonNode path = node.path("path");
        JsonNode host = node.path("host");
        JsonNode crc32c = node.path("crc32c");
        if (!path.isTextual()
                || !path.asText().startsWith("/")
                || path.asText().indexOf('\0') >= 0
                || !isText(host)
                || !isText(crc32c)) {
            throw new IllegalArgumentException("segment " + shown(node)
                    + " has no path that begins with /, or a host or a crc32c that are no texts");
        }
        return new SegmentInfo(
                host.textValue(), path.asText(), count(node, "rows"), count(node, "bytes"), crc32c.textValue());
    }

    /** Whether its checksum is known. */
    boolean isChecked() {
        return crc32c != null && !crc32c.isEmpty();
    }

    private static boolean isText(JsonNode node) {
        return node.isTextual() || node.isMissingNode() || node.isNull();
    }

    private static long count(JsonNode node, String key) {
        JsonNode count = node.path(key);
        if (!count.isIntegralNumber() || !count.canConvertToLong() || count.asLong() < 0) {
            throw new IllegalArgumentException("segment " + shown(node) + " has no whole number of " + key);
        }
        return count.asLong();
    }

    private static String shown(JsonNode node) {
        String text = node.toString();
        return text.length() <= 200 ? text : text.substring(0, 200) + "...";
    }

    /** The same under another name of its host. */
    public SegmentInfo on(String name) {
        return new SegmentInfo(name, path, rows, bytes, crc32c);
    }
}
