// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a rank says of its result. */
class RankReportTest {
    @TempDir
    Path folder;

    private RankReport read(String figures) throws IOException {
        Files.writeString(
                folder.resolve("done-0.json"),
                "{\"rows\": 0, \"schema\": [{\"name\": \"id\", \"type\": \"bigint\", \"nullable\": false}], "
                        + "\"segments\": [], \"figures\": "
                        + figures + "}");
        return RankReport.read(new JobFolder(folder), 0, "here");
    }

    @Test
    void figuresAreLists() throws Exception {
        assertArrayEquals(
                new double[] {1.5, Double.NaN},
                read("{\"objective\": [1.5, null]}").figures().get("objective"));
        assertEquals(
                "figures.objective is no list",
                assertThrows(IllegalArgumentException.class, () -> read("{\"objective\": {\"a\": 1}}"))
                        .getMessage());
    }
}
