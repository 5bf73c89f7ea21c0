// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the manifest of a published table says of its publication (FORMAT.md, Published tables).
 *
 * @param edition counted from 1; a table that is published after it was dropped begins anew
 * @param folder in which the segments stand, never used again
 * @param application that published it
 * @param at when, ISO 8601
 * @param durable folder of the rows as Parquet, null where there is none (yet)
 */
public record Publication(int edition, String folder, String application, String at, String durable) {
    private static final Pattern FOLDER = Pattern.compile("([0-9]{1,9})(-[0-9a-f]+)?");

    /** A name for an edition's folder that no other folder has or had, on any host. */
    static String newFolder(int edition) {
        return edition + "-"
                + HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong());
    }

    /** The edition whose folder has that name; 0 where it is no edition's. */
    static int edition(String folder) {
        Matcher parts = FOLDER.matcher(folder);
        return parts.matches() ? Integer.parseInt(parts.group(1)) : 0;
    }

    /**
     * Null where there is no such node. A sweep goes by it, so nothing is guessed.
     *
     * <p>Errors: IllegalArgumentException.
     */
    static Publication read(JsonNode node) {
        if (node.isMissingNode() || node.isNull()) {
            return null;
        }
        JsonNode edition = node.path("edition");
        if (!edition.isInt() || edition.asInt() < 1) {
            throw new IllegalArgumentException("edition " + edition);
        }
        String folder = text(node, "folder");
        if (folder == null) {
            folder = Integer.toString(edition.asInt()); // as 0.1.0 wrote it
        }
        if (edition(folder) != edition.asInt()) {
            throw new IllegalArgumentException("folder '" + folder + "' of edition " + edition);
        }
        return new Publication(
                edition.asInt(), folder, text(node, "application"), text(node, "at"), text(node, "durable"));
    }

    Publication durableIn(String where) {
        return new Publication(edition, folder, application, at, where);
    }

    private static String text(JsonNode node, String key) {
        JsonNode said = node.path(key);
        if (!said.isTextual() && !said.isMissingNode() && !said.isNull()) {
            throw new IllegalArgumentException(key + " " + said + ", which is no text");
        }
        return said.textValue();
    }
}
