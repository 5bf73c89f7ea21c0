// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A manifest that says too little or what cannot be is none: without a word it was a table of no rows, or of fewer. */
class ManifestDamageTest {
    private static final Path SEEDS = Path.of(System.getProperty("sparkgap.seeds"));

    @TempDir
    Path scratch;

    @Test
    void theSeedsThemselvesAreRead() {
        assertEquals(17, Manifest.read(SEEDS.resolve("manifest.json")).rows());
        assertEquals(
                2,
                Manifest.read(SEEDS.resolve("manifest_graph.json"))
                        .graph()
                        .segments()
                        .size());
    }

    @Test
    void rowsAreWholeNumbers() throws Exception {
        for (String rows : new String[] {"1.5", "\"17\"", "true", "null", "-1", "1e300", "9223372036854775808"}) {
            refused(
                    "manifest",
                    "\"rows\": 17, \"bytes\": 1344, \"crc32c\"",
                    "\"rows\": " + rows + ", \"bytes\": 1344, \"crc32c\"",
                    "no whole number of rows");
        }
        refused(
                "manifest",
                "\"rows\": 17, \"bytes\": 1344, \"crc32c\"",
                "\"bytes\": 1344, \"crc32c\"",
                "no whole number of rows");
    }

    @Test
    void segmentsAreThere() throws Exception {
        refused("manifest", "\"segments\"", "\"segment\"", "no name, schema or segments");
        refused("manifest", "\"path\"", "\"file\"", "has no path");
        refused("manifest_graph", "\"in\"", "\"inn\"", "a graph without the list in");
        refused("manifest_graph", "\"directed\": true", "\"directed\": 1", "neither whether it has a direction");
    }

    @Test
    void rowsOfAllSegmentsHaveASum() throws Exception {
        String many = "\"rows\": 9223372036854775807, \"bytes\": 1344, \"crc32c\"";
        String text = Files.readString(SEEDS.resolve("manifest.json"))
                .replace("\"rows\": 17, \"bytes\": 1344, \"crc32c\"", many);
        int begin = text.indexOf("{\"host\"");
        String segment = text.substring(begin, text.indexOf('}', begin) + 1);
        Path file = scratch.resolve("many.json");
        Files.writeString(file, text.replace(segment, segment + "," + segment));
        assertEquals(
                SparkGapException.DATA,
                assertThrows(SparkGapException.class, () -> Manifest.read(file)).code());
    }

    private void refused(String seed, String from, String to, String expected) throws Exception {
        Path file = scratch.resolve("t.json");
        String text = Files.readString(SEEDS.resolve(seed + ".json"));
        Files.writeString(file, text.replace(from, to));
        assertTrue(text.contains(from));
        SparkGapException e = assertThrows(SparkGapException.class, () -> Manifest.read(file), to);
        assertEquals(SparkGapException.DATA, e.code());
        assertTrue(e.text().contains(expected), e.text());
    }
}
